/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay: the main function of a fuzz target in builds without libFuzzer. Runs the target on each file of a folder, and
 * then VARIANTS times with changed bytes. The changes are the same in every run. A finding ends the process; the last
 * line printed before it names the file.
 *
 * usage: fuzz_TARGET FOLDER
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "stress/random.h"
#include "support/counts.h"
#include "support/scale.h"

enum { VARIANTS = SCALED(500), MOST_CHANGED = 8 };

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
}

int main(int argc, char *argv[])
{
    unsigned long replayed = 0;
    CHECKF(argc == 2 && chdir(argv[1]) == 0, "usage: fuzz_" FUZZ_TARGET " FOLDER");
    DIR *folder = opendir(".");
    CHECK(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        replay_file(entry->d_name);
        replayed++;
    }
    closedir(folder);
    CHECK(replayed > 0);
    counts_report("fuzz." FUZZ_TARGET, "seeds replayed", replayed);
    return 0;
}
