/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * save: what is written comes back by load just as it was, and what would not is not written.
 */
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "support/check.h"
#include "support/model.h"
#include "support/objects.h"
#include "support/random.h"
#include "support/scale.h"

/* Whether a hint file can have a pair, in the words of the header. */
static bool can_be_saved(const char *key, const char *value)
{
    size_t length = strlen(value);
    if (strpbrk(key, " \t\n") || strchr("#[", key[0]) || strchr(value, '\n'))
        return 0;
    return !length || (!strchr(" \t", value[0]) && !strchr(" \t\r", value[length - 1]));
}

/* Saves; and what is saved is loaded again. */
static void check_save(const struct modelled *saved)
{
    const struct model *model = &saved->model;
    FILE *file = tmpfile();
    size_t failed = 77, expected = 0;
    rcuinfo_t back;
    CHECK(file);
    while (expected < model->count && can_be_saved(model->pairs[expected].key, model->pairs[expected].value))
        expected++;
    const rcuinfo_snapshot_t *snapshot = object_open(saved->info);
    errno = 1234;
    rcuinfo_status_t status = rcuinfo_save(snapshot, file, &failed);
    CHECK_EQUAL(errno, 1234);
    if (expected < model->count) {
        CHECK_STATUS(status, RCUINFO_ERR_FORMAT);
        CHECK_EQUAL(failed, expected);
        CHECK_STATUS(rcuinfo_save(snapshot, file, NULL), RCUINFO_ERR_FORMAT);
        CHECK_EQUAL(fseek(file, 0, SEEK_END), 0);
        CHECK_EQUAL(ftell(file), 0);
    } else {
        CHECK_OK(status);
        CHECK_EQUAL(failed, 77);
        rewind(file);
        CHECK_OK(rcuinfo_load(file, &back, NULL));
        struct model same = *model;
        CHECK_OK(rcuinfo_current_version(back, &same.version)); /* one a batch */
        CHECK_EQUAL(model_differs_from_object(&same, back), 0);
        CHECK_OK(rcuinfo_free(&back));
    }
    rcuinfo_snapshot_close(snapshot);
    (void)fclose(file);
}

/* Few bytes, among them all that mean something in a hint file. */
static void hostile_text(struct random *r, char *text, unsigned least, unsigned most, unsigned harm)
{
    static const char meaning[] = " \t\n\r#";
    unsigned length = least + random_below(r, random_below(r, 16) ? 4 : most - least + 1);
    for (unsigned i = 0; i < length; i++)
        text[i] = random_below(r, harm) ? (char)(1 + random_below(r, 255)) : meaning[random_below(r, 5)];
    text[length] = '\0';
}

static void what_is_saved_comes_back(void)
{
    char key[RCUINFO_MAX_KEY], value[RCUINFO_MAX_VALUE];
    struct random random = {11};
    unsigned saved = 0;
    for (unsigned round = 0; round < SCALED(3000); round++) {
        struct modelled info;
        unsigned harm = 2 + random_below(&random, 400), pairs = random_below(&random, round % 16 ? 4 : 60);
        bool good = random_below(&random, 2), bad = false;
        modelled_create(&info);
        while (pairs--) {
            hostile_text(&random, key, 1, RCUINFO_MAX_KEY - 1, harm);
            hostile_text(&random, value, 0, RCUINFO_MAX_VALUE - 1, harm);
            if (good && !can_be_saved(key, value))
                continue;
            CHECK_OK(modelled_set(&info, key, value));
            bad = bad || !can_be_saved(key, value);
        }
        saved += !bad && info.model.count > 0;
        check_save(&info);
        modelled_free(&info);
    }
    CHECK(saved >= SCALED(3000) / 4 && saved <= SCALED(3000) - SCALED(3000) / 8);
}

/* Every key and every value of three bytes or fewer, of those that mean something and one that does not. */
static void every_short_pair(void)
{
    static const char bytes[] = "x \t\n\r#[]";
    for (unsigned i = 1; i < 2 * 9 * 9 * 9; i++) {
        char key[8] = "", value[8] = "";
        char *text = i % 2 ? key : value;
        struct modelled info;
        for (unsigned n = i / 2, at = 0; n; n /= 9) {
            if (n % 9 < 8)
                text[at++] = bytes[n % 9];
        }
        if (!key[0])
            (void)strcpy(key, "\r");
        modelled_create(&info);
        CHECK_OK(modelled_set(&info, key, value));
        check_save(&info);
        modelled_free(&info);
    }
}

static void format_of_what_is_saved(void)
{
    static const rcuinfo_change_t pairs[] = {{"cb_nodes", "4"}, {"empty", ""}, {"path", "/a b/#c"}};
    char text[64] = "";
    FILE *file = tmpfile();
    CHECK(file);
    rcuinfo_t info = object_empty();
    CHECK_OK(rcuinfo_update(info, pairs, 3, NULL));
    const rcuinfo_snapshot_t *snapshot = object_open(info);
    CHECK_OK(rcuinfo_save(snapshot, file, NULL));
    CHECK_EQUAL(pread(fileno(file), text, sizeof text - 1, 0), 31); /* it is flushed */
    CHECK_TEXT(text, "cb_nodes 4\nempty \npath /a b/#c\n");
    rcuinfo_snapshot_close(snapshot);
    CHECK_OK(rcuinfo_free(&info));
    (void)fclose(file);
}

int main(void)
{
    what_is_saved_comes_back();
    every_short_pair();
    format_of_what_is_saved();
    return 0;
}
