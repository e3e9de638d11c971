// SPDX-License-Identifier: BSD-3-Clause
/* A list of what was said. */
#include "bench/bench_say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct remark {
    struct remark *next;
    char text[512];
} remark;

static remark *said;

void bench_say_once(const char *format, ...)
{
    remark *r = calloc(1, sizeof *r), spare = {0};
    remark *made = r ? r : &spare;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made->text, sizeof made->text, format, arguments);
    va_end(arguments);
    for (const remark *old = said; old; old = old->next)
        if (strcmp(old->text, made->text) == 0) {
            free(r);
            return;
        }
    fprintf(stderr, "sluice-bench: %s\n", made->text);
    if (r) {
        r->next = said;
        said = r;
    }
}

void bench_say_forget(void)
{
    while (said) {
        remark *next = said->next;
        free(said);
        said = next;
    }
}
