// SPDX-License-Identifier: BSD-3-Clause
/* Sessions in the documents: a fenced block ```sluice-sample holds commands behind "$ " and what
 * each prints, on stdout and stderr. Commands run in one folder a document, with the programs of
 * the build in the PATH. In what they print
 *     ..           stands for anything in a line; alone, for any number of lines
 *     blanks       count as one: columns are as wide as their figures
 *     times        and rates and errors are any number: behind a key that ends in _s, seconds or
 *                  error (get_s,0.1 plan_s=3), or alone between blanks with a point or an exponent
 * Everything else has to be there, letter by letter. Samples name AVX-512, so they are compared
 * where the processor has it. Problem strings of docs/FROM_FFTW.md plan, but where their line says
 * "not yet": there they are refused as unsupported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/helpers/helper_docs.h"
#include "tests/helpers/helper_plan.h"

enum { LINE = 4096, OUTPUT = 1 << 18, MOST_LINES = 512 };

/* ---------------------------------------------------------------- matching --------------- */

static bool ends_in(const char *text, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - text) >= length && memcmp(end - length, word, length) == 0;
}

/* Does the number from `at` to `end` of a line vary from run to run? */
static bool is_measured(const char *line, const char *at, const char *end)
{
    const size_t length = (size_t)(end - at);
    if (*end != '\0' && *end != ' ' && *end != ',')
        return false;
    if (at == line || at[-1] == ' ')
        return memchr(at, '.', length) != NULL || memchr(at, 'e', length) != NULL;
    return (at[-1] == '=' || at[-1] == ',')
           && (ends_in(line, at - 1, "_s") || ends_in(line, at - 1, "seconds")
               || ends_in(line, at - 1, "error"));
}

/* A line of `length` with its blanks as one and its measured numbers as '#'. */
static void normalise(char *out, const char *from, size_t length)
{
    char line[LINE];
    snprintf(line, sizeof line, "%.*s", (int)length, from);
    for (const char *at = line; *at;) {
        char *end = NULL;
        if (*at == ' ') {
            at += strspn(at, " ");
            if (*at)
                *out++ = ' ';
            continue;
        }
        if (*at >= '0' && *at <= '9')
            strtod(at, &end);
        if (end && is_measured(line, at, end)) {
            *out++ = '#';
            at = end;
        } else {
            *out++ = *at++;
        }
    }
    *out = '\0';
}

/* ".." in `pattern` is anything. */
static bool line_matches(const char *pattern, const char *line)
{
    for (; *pattern; pattern++, line++) {
        if (strncmp(pattern, "..", 2) == 0) {
            for (;; line++) {
                if (line_matches(pattern + 2, line))
                    return true;
                if (!*line)
                    return false;
            }
        }
        if (*pattern != *line)
            return false;
    }
    return *line == '\0';
}

typedef struct lines {
    char *line[MOST_LINES];
    int count;
} lines;

static void lines_add(lines *l, const char *text, size_t length)
{
    assert_true(l->count < MOST_LINES);
    l->line[l->count] = malloc(length + 1);
    assert_non_null(l->line[l->count]);
    normalise(l->line[l->count++], text, length);
}

static lines lines_of(const char *text, size_t length)
{
    lines l = {.count = 0};
    for (const char *end = text + length; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const size_t one = newline ? (size_t)(newline - text) : (size_t)(end - text);
        lines_add(&l, text, one);
        text += one + 1;
    }
    return l;
}

static void lines_free(lines *l)
{
    while (l->count > 0)
        free(l->line[--l->count]);
}

static bool match_from(const lines *wanted, int w, const lines *got, int g)
{
    for (; w < wanted->count; w++, g++) {
        if (strcmp(wanted->line[w], "..") == 0) {
            for (; g <= got->count; g++)
                if (match_from(wanted, w + 1, got, g))
                    return true;
            return false;
        }
        if (g == got->count || !line_matches(wanted->line[w], got->line[g]))
            return false;
    }
    return g == got->count;
}

static bool output_matches(const char *wanted, size_t length, const char *got)
{
    lines w = lines_of(wanted, length), g = lines_of(got, strlen(got));
    const bool same = match_from(&w, 0, &g, 0);
    lines_free(&w);
    lines_free(&g);
    return same;
}

/* ---------------------------------------------------------------- sessions -------------- */

static char folder[] = "/tmp/sluice-docs-XXXXXX";

/* What samples read: a signal of 64 blocks, and a recording where the system has one. */
static int make_folder(void **state)
{
    char command[256];
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(command, sizeof command,
             "cd '%s' && head -c 524288 /dev/zero >samples && "
             "ln -s /usr/share/sounds/alsa/Front_Center.wav IN.wav",
             folder);
    return system(command);
}

static int remove_folder(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void output_of(const char *command, int length, char *out)
{
    char line[LINE];
    snprintf(line, sizeof line, "cd '%s' && { %.*s\n} 2>&1", folder, length, command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    out[fread(out, 1, OUTPUT - 1, pipe)] = '\0';
    pclose(pipe);
}

/* The next "$ " at the beginning of a line, or the end. */
static const char *next_command(const char *at, const char *end)
{
    while (at < end && strncmp(at, "$ ", 2) != 0) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    return at;
}

/* How many commands of a block print something else. */
static int check_session(const char *document, const docs_fence *f)
{
    static char printed[OUTPUT];
    const char *const end = f->text + f->length;
    int wrong = 0;
    if (f->length < 2 || next_command(f->text, end) != f->text)
        fail_msg("%s:%d: the block begins with no command", document, f->line);
    for (const char *at = f->text; at < end;) {
        const int length = (int)strcspn(at, "\n");
        const char *const body = at + length + (at + length < end);
        const char *const next = next_command(body, end);
        output_of(at + 2, length - 2, printed);
        if (!output_matches(body, (size_t)(next - body), printed)) {
            print_error("%s:%d: %.*s prints\n%s", document, f->line, length, at, printed);
            wrong++;
        }
        at = next;
    }
    return wrong;
}

/* Recordings come with a package that not every system has. */
static bool can_run(const docs_fence *f)
{
    char path[64], *text = strndup(f->text, f->length);
    snprintf(path, sizeof path, "%s/IN.wav", folder);
    const bool able = !strstr(text, "IN.wav") || access(path, R_OK) == 0;
    free(text);
    return able;
}

static bool has_avx512(void)
{
    sluice_unit_info unit;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    assert_int_equal(sluice_machine_unit_info(m, 0, &unit), SLUICE_OK);
    sluice_machine_close(m);
    return strcmp(unit.isa, "avx512") == 0;
}

/* The build may be without them. */
static bool has_programs(void)
{
    static const char *const names[] = {"sluice", "sluice-bench"};
    char path[LINE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", getenv("SLUICE_BIN_DIR"), names[i]);
        if (!getenv("SLUICE_BIN_DIR") || access(path, X_OK) != 0)
            return false;
    }
    return true;
}

static void sessions_print_what_stands_there(void **state)
{
    int found = 0, wrong = 0;
    (void)state;
    if (!has_programs() || !has_avx512())
        skip();
    for (int i = 0; docs_document(i); i++) {
        char *text = docs_read_file(docs_document(i));
        docs_reader r = {.at = text, .line = 1};
        docs_fence f;
        while (docs_next(&r, &f))
            if (strcmp(f.info, "sluice-sample") == 0) {
                found++;
                wrong += can_run(&f) ? check_session(docs_document(i), &f) : 0;
            }
        free(text);
    }
    assert_int_equal(wrong, 0);
    assert_true(found >= 10); /* else the marks are gone */
}

static void the_checker_objects(void **state)
{
    (void)state;
    static const struct {
        const char *wanted, *got;
        bool same;
    } cases[] = {
        {"a b\n", "a b\n", true},
        {"a b\n", "a  b \n", true},
        {"a b\n", "a c\n", false},
        {"a\n", "a\nb\n", false},
        {"a\nb\n", "a\n", false},
        {"", "a\n", false},
        {"", "", true},
        {"a ..\n", "a b c\n", true},
        {"a .. d\n", "a b c\n", false},
        {"a\n..\nd\n", "a\nb\nc\nd\n", true},
        {"a\n..\n", "a\n", true},
        {"a\n..\ne\n", "a\nb\nc\nd\n", false},
        {"t_s=3.1e-05 x\n", "t_s=4 x\n", true},
        {"n=3 x\n", "n=4 x\n", false},
        {"get_s,0,compute_s,0.5\n", "get_s,0.1,compute_s,7e-4\n", true},
        {"get_s,0,compute_s,0.5\n", "get_s,0.1,compute_s,x\n", false},
        {"1.5 3\n", "2.5e-7 3\n", true},
        {"1.5 3\n", "2.5 4\n", false},
        {"spe(2,1)\n", "spe(8,1)\n", false},
        {"c2c:f32:64\n", "c2c:f32:65\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (output_matches(cases[i].wanted, strlen(cases[i].wanted), cases[i].got) != cases[i].same)
            fail_msg("'%s' and '%s'", cases[i].wanted, cases[i].got);
}

/* ---------------------------------------------------------------- problem strings ------- */

static bool is_problem(const char *text)
{
    static const char *const kinds[] = {"c2c", "r2c", "c2r", "dct", "dst", "idxst"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(text, kinds[i], strlen(kinds[i])) == 0)
            return strchr(text, ':') != NULL;
    return false;
}

static bool plans_as_said(sluice_machine *m, const char *problem, bool refused)
{
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    const sluice_status status = sluice_plan_from_text(&plan, m, problem, NULL, &why);
    const bool right = status == (refused ? SLUICE_E_UNSUPPORTED : SLUICE_OK);
    if (!right)
        print_error("%s: %s: %s\n", problem, sluice_strerror(status), why.message);
    sluice_plan_destroy(plan);
    return right;
}

/* The problems of a line, which are set between single backquotes. */
static void check_line(sluice_machine *m, char *line, int *found, int *wrong)
{
    const bool refused = strstr(line, "not yet") != NULL;
    char *save = NULL;
    bool quoted = *line == '`';
    for (char *part = strtok_r(line, "`", &save); part; part = strtok_r(NULL, "`", &save)) {
        if (quoted && is_problem(part)) {
            ++*found;
            *wrong += !plans_as_said(m, part, refused);
        }
        quoted = !quoted;
    }
}

static void problems_plan(void **state)
{
    int found = 0, wrong = 0;
    char *text = docs_read_file("docs/FROM_FFTW.md"), *save = NULL;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    (void)state;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        check_line(m, line, &found, &wrong);
    sluice_machine_close(m);
    free(text);
    assert_int_equal(wrong, 0);
    assert_true(found >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_objects),
        cmocka_unit_test(sessions_print_what_stands_there),
        cmocka_unit_test(problems_plan),
    };
    char path[LINE];
    const char *programs = getenv("SLUICE_BIN_DIR");
    char *const absolute = programs ? realpath(programs, NULL) : NULL;
    if (absolute) {
        snprintf(path, sizeof path, "%s:%s", absolute, getenv("PATH"));
        setenv("PATH", path, 1);
    }
    free(absolute);
    setenv("SLUICE_TOPOLOGY", docs_caches, 1);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
