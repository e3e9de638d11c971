// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom files: the bytes behind the first line that this machine writes, or (where they begin with
 * '!') all of the file. They load or are refused with a sentence; short problems that they name are
 * planned, and what the machine then knows loads again without a word. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "api/sluice.h"
#include "tests/fuzz/fuzz.h"

enum { FIRST_LINE = 1024, MOST_POINTS = 4096 };

static int memory; /* a file without a name */
static char path[32];

static void fill(const void *bytes, size_t size)
{
    FUZZ_CHECK(ftruncate(memory, 0) == 0 && lseek(memory, 0, SEEK_SET) == 0);
    FUZZ_CHECK(write(memory, bytes, size) == (ssize_t)size);
}

static size_t first_line(char *line)
{
    static const sluice_machine_options ref = {.units = "ref:2"};
    char name[] = "/tmp/sluice-fuzz-XXXXXX";
    sluice_machine *m = NULL;
    const int made = mkstemp(name);

    FUZZ_CHECK(made >= 0 && close(made) == 0);
    FUZZ_CHECK(sluice_machine_open(&m, &ref, NULL) == SLUICE_OK);
    FUZZ_CHECK(sluice_wisdom_save(m, name) == SLUICE_OK);
    sluice_machine_close(m);
    FILE *f = fopen(name, "r");
    FUZZ_CHECK(f != NULL && fgets(line, FIRST_LINE, f) != NULL);
    fclose(f);
    unlink(name);
    return strlen(line);
}

/* Plans what stands before ":=" in each line. */
static void plan_problems(sluice_machine *m, char *text)
{
    for (char *line = text, *next; line; line = next) {
        sluice_problem p;
        sluice_plan *plan = NULL;
        size_t points = 1;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        char *colon = strstr(line, " := ");
        if (!colon)
            continue;
        *colon = '\0';
        if (sluice_problem_parse(&p, line, NULL) != SLUICE_OK)
            continue;
        for (int d = 0; d < p.rank && points <= MOST_POINTS; d++)
            points *= p.dim[d].n < MOST_POINTS ? p.dim[d].n : MOST_POINTS + 1;
        for (int d = 0; d < p.batch_rank && points <= MOST_POINTS; d++)
            points *= p.batch[d].n < MOST_POINTS ? p.batch[d].n : MOST_POINTS + 1;
        if (points <= MOST_POINTS)
            (void)sluice_plan_create(&plan, m, &p, NULL, NULL);
        sluice_plan_destroy(plan);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const sluice_machine_options ref = {.units = "ref:2"};
    static char head[FIRST_LINE];
    static size_t head_length;
    const bool whole = size > 0 && data[0] == '!';
    sluice_machine *m = NULL;
    sluice_diag why = {0};

    if (!memory) {
        memory = memfd_create("wisdom", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
        head_length = first_line(head);
    }
    char *rest = fuzz_text(data + whole, size - whole);
    char *all = malloc(head_length + size + 1);
    FUZZ_CHECK(all != NULL);
    const size_t before = whole ? 0 : head_length;
    memcpy(all, head, before);
    memcpy(all + before, rest, size - whole);
    fill(all, before + size - whole);
    FUZZ_CHECK(sluice_machine_open(&m, &ref, NULL) == SLUICE_OK);
    if (sluice_wisdom_load(m, path, &why) != SLUICE_OK)
        fuzz_check_message(why.message);
    plan_problems(m, rest);
    sluice_machine_close(m);
    free(all);
    free(rest);
    return 0;
}
