/* SPDX-License-Identifier: BSD-3-Clause */
/* status: the texts of statuses and of the version. */
#include <rcuinfo/store.h>
#include <rcuinfo/version.h>

const char *rcuinfo_status_string(rcuinfo_status_t status)
{
    switch (status) {
    case RCUINFO_SUCCESS:
        return "success";
    case RCUINFO_ERR_ARG:
        return "an argument is out of range or a pointer is NULL";
    case RCUINFO_ERR_INFO:
        return "invalid or freed handle, or the object is read-only";
    case RCUINFO_ERR_KEY:
        return "the key is NULL, empty or too long";
    case RCUINFO_ERR_VALUE:
        return "the value is NULL or too long";
    case RCUINFO_ERR_NOKEY:
        return "the key is not in the object";
    case RCUINFO_ERR_NO_MEM:
        return "no memory or no handle is left";
    case RCUINFO_ERR_TYPE:
        return "the value is not of the requested type";
    case RCUINFO_ERR_FORMAT:
        return "the bytes are not a packed info, or the text is not a hint file";
    case RCUINFO_ERR_IO:
        return "reading or writing failed";
    }
    return "unknown status";
}

const char *rcuinfo_version_string(void)
{
    return RCUINFO_VERSION;
}
