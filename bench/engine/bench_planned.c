// SPDX-License-Identifier: BSD-3-Clause
/* A file of lines "engine problem workers seconds", read once and appended to. */
#include "bench/engine/bench_planned.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
    struct record *next;
    char engine[32], problem[256];
    int workers;
    double seconds;
} record;

static record *records;
static bool was_read;

static record *find_record(const char *engine, const char *problem, int workers)
{
    for (record *r = records; r; r = r->next)
        if (r->workers == workers && strcmp(r->problem, problem) == 0
            && strcmp(r->engine, engine) == 0)
            return r;
    return NULL;
}

/* Keeps the longest planning time of each record. False if it was known already. */
static bool keep_longer(const record *found)
{
    record *r = find_record(found->engine, found->problem, found->workers);
    if (r && r->seconds >= found->seconds)
        return false;
    if (!r) {
        r = calloc(1, sizeof *r);
        if (!r)
            return false;
        *r = *found;
        r->next = records;
        records = r;
    }
    r->seconds = found->seconds;
    return true;
}

static void read_records(const char *path)
{
    record r = {0};
    FILE *file = fopen(path, "r");
    was_read = true;
    if (!file)
        return;
    while (fscanf(file, "%31s %255s %d %lf", r.engine, r.problem, &r.workers, &r.seconds) == 4)
        keep_longer(&r);
    fclose(file);
}

double bench_planned(const char *wisdom, const char *engine, const char *problem, int workers,
                     double seconds)
{
    char path[PATH_MAX];
    record r = {.workers = workers, .seconds = seconds};
    if (!wisdom)
        return seconds;
    snprintf(path, sizeof path, "%.3000s.seconds", wisdom);
    if (!was_read)
        read_records(path);
    snprintf(r.engine, sizeof r.engine, "%s", engine);
    snprintf(r.problem, sizeof r.problem, "%s", problem);
    if (keep_longer(&r)) {
        FILE *file =
            fopen(path, "a"); /* a failure is harmless: these times only accompany wisdom */
        if (file) {
            fprintf(file, "%s %s %d %.6g\n", engine, problem, workers, seconds);
            fclose(file);
        }
    }
    const record *known = find_record(engine, problem, workers);
    return known ? known->seconds : seconds;
}

void bench_planned_free(void)
{
    while (records) {
        record *next = records->next;
        free(records);
        records = next;
    }
    was_read = false;
}
