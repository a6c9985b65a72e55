/* SPDX-License-Identifier: BSD-3-Clause */
/* status: the texts of statuses and of the version. */
#include <stddef.h>

#include <rcuinfo/store.h>
#include <rcuinfo/version.h>

static const char *const texts[] = {
    [RCUINFO_SUCCESS] = "success",
    [RCUINFO_ERR_ARG] = "an argument is out of range or a pointer is NULL",
    [RCUINFO_ERR_INFO] = "invalid or freed handle, or the object is read-only",
    [RCUINFO_ERR_KEY] = "the key is NULL, empty or too long",
    [RCUINFO_ERR_VALUE] = "the value is NULL or too long",
    [RCUINFO_ERR_NOKEY] = "the key is not in the object",
    [RCUINFO_ERR_NO_MEM] = "no memory or no handle is left",
    [RCUINFO_ERR_TYPE] = "the value is not of the requested type",
    [RCUINFO_ERR_FORMAT] = "the bytes are not a packed info, or the text is not a hint file",
    [RCUINFO_ERR_IO] = "reading or writing failed",
};

const char *rcuinfo_status_string(rcuinfo_status_t status)
{
    size_t number = (size_t)status; /* a negative one is larger than all */
    const char *text = number < sizeof texts / sizeof *texts ? texts[number] : NULL;
    return text ? text : "unknown status";
}

const char *rcuinfo_version_string(void)
{
    return RCUINFO_VERSION;
}
