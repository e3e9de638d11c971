// SPDX-License-Identifier: BSD-3-Clause
/* A warning that has been printed. */
#include "bench/report/bench_say.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct remark {
    struct remark *next;
    char text[512];
} remark;

static remark *warnings;

static void print_line(char *text)
{
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    fprintf(stderr, "%ssluice-bench: %s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", text);
}

void bench_complain(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    print_line(text);
}

/* Text of errno; EIO if a failed write, for example on a full disk, set none. */
static const char *errno_text(void)
{
    return strerror(errno ? errno : EIO);
}

bench_exit bench_refuse(const char *what, sluice_status status, const sluice_diag *why)
{
    bench_complain("%s: %s", what, why->message[0] ? why->message : sluice_strerror(status));
    return bench_exit_of(status);
}

bench_exit bench_cannot_write(const char *name)
{
    if (errno == EPIPE) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    bench_complain("cannot write %s: %s", name, errno_text());
    return BENCH_IO;
}

bench_exit bench_cannot_read(const char *name)
{
    bench_complain("cannot read %s: %s", name, errno_text());
    return BENCH_IO;
}

void bench_warn_once(const char *format, ...)
{
    remark *r = calloc(1, sizeof *r), spare = {0};
    remark *made = r ? r : &spare;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made->text, sizeof made->text, format, arguments);
    va_end(arguments);
    for (const remark *old = warnings; old; old = old->next)
        if (strcmp(old->text, made->text) == 0) {
            free(r);
            return;
        }
    print_line(made->text);
    if (r) {
        r->next = warnings;
        warnings = r;
    }
}

void bench_warn_forget(void)
{
    while (warnings) {
        remark *next = warnings->next;
        free(warnings);
        warnings = next;
    }
}
