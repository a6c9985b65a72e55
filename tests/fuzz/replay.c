/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay: the main function of a fuzz target in builds without libFuzzer: each file that is named, and each file of a
 * folder that is named, goes through the target, and then VARIANTS times with some bytes changed, always the same ones.
 * A finding ends the process; the line before it names the file.
 *
 * usage: fuzz_TARGET FILE|FOLDER...
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz/fuzz.h"
#include "support/counts.h"
#include "support/random.h"
#include "support/scale.h"

enum { VARIANTS = SCALED(500), MOST_CHANGED = 8 };

static unsigned long replayed;

static void replay_file(const char *path)
{
    struct random rng = {1};
    struct stat about;
    FILE *file = fopen(path, "rb");
    CHECKF(file && fstat(fileno(file), &about) == 0, "cannot read %s", path);
    size_t size = (size_t)about.st_size;
    uint8_t *data = malloc(size + !size);
    CHECK(data);
    CHECKF(fread(data, 1, size, file) == size, "cannot read %s", path);
    (void)fclose(file);
    printf("%s: %zu bytes\n", path, size);
    (void)fflush(stdout);
    for (int variant = 0; variant <= VARIANTS; variant++) {
        (void)LLVMFuzzerTestOneInput(data, size);
        for (unsigned n = random_below(&rng, MOST_CHANGED) + 1; n && size; n--)
            data[random_below(&rng, (unsigned)size)] = (uint8_t)random_next(&rng);
    }
    free(data);
    replayed++;
}

static void replay(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        replay_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char inside[4096];
        if (entry->d_name[0] == '.')
            continue;
        CHECK((size_t)snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < sizeof inside);
        replay_file(inside);
    }
    closedir(folder);
}

int main(int argc, char *argv[])
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    CHECKF(replayed > 0, "no file in %s", argc > 1 ? argv[1] : "no folder");
    counts_report("fuzz." FUZZ_TARGET, "seeds replayed", replayed);
    printf("%lu seeds replayed\n", replayed);
    return 0;
}
