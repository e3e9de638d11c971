// SPDX-License-Identifier: BSD-3-Clause
/* Measuring, and the wisdom it leaves: kept, used by later plans, written, read, and rejected; of
 * other machines, other numbers of units, older formats; cut and changed. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/hash.h"
#include "core/mem.h"
#include "sched/machine/wisdom_lines.h"
#include "tests/helpers/helper_plan.h"

enum { SEED = 99 };

static char file[PLAN_TEXT_SIZE];

static int open_file(void **state)
{
    (void)state;
    return plan_file(file) ? 0 : -1;
}

static int close_file(void **state)
{
    (void)state;
    remove(file);
    return core_mem_live() == 0 ? 0 : -1;
}

static void write_file(const char *text)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static void read_file(char *text, size_t room)
{
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    text[fread(text, 1, room - 1, f)] = '\0';
    fclose(f);
}

/* The first line of this machine's files, with its newline. */
static void signature(sluice_machine *m, char *text)
{
    assert_int_equal(sluice_wisdom_save(m, file), SLUICE_OK);
    read_file(text, PLAN_TEXT_SIZE);
    char *end = strchr(text, '\n');
    assert_non_null(end);
    end[1] = '\0';
}

static sluice_plan *measured(sluice_machine *m, const char *text, sluice_effort effort,
                             double limit)
{
    const sluice_plan_options options = {.effort = effort, .time_limit = limit};
    sluice_problem p;
    sluice_plan *plan = NULL;
    sluice_diag why = {0};
    assert_int_equal(sluice_problem_parse(&p, text, NULL), SLUICE_OK);
    if (sluice_plan_create(&plan, m, &p, &options, &why) != SLUICE_OK)
        fail_msg("%s: %s", text, why.message);
    return plan;
}

static void judge(const sluice_plan *plan, const char *name)
{
    plan_data d;
    plan_data_open(&d, plan, name, 0);
    plan_data_execute(&d, plan, SEED, NULL);
    plan_data_close(&d);
}

/* Does the problem, planned without measuring, become this line (of a plan, destroyed)? */
static void assert_plans_to(sluice_machine *m, const char *problem, const char *line)
{
    sluice_plan *plan = plan_made(m, problem);
    char *own = plan_line(plan);
    judge(plan, problem);
    if (strcmp(strstr(own, ":= "), strstr(line, ":= ")) != 0)
        fail_msg("%s: wisdom holds '%s', planned was '%s'", problem, line, own);
    test_free(own);
    sluice_plan_destroy(plan);
}

/* A formula that no planner would choose. */
static const char odd[] =
    "(DFT(2)_{leaf} (x) I(32)) * T(2,32) * (I(2) (x) DFT(32)_{leaf}) * L(64,2)";

static void assert_avoids(sluice_machine *m, const char *problem)
{
    sluice_plan *plan = plan_made(m, problem);
    char *line = plan_line(plan);
    if (strstr(line, odd) != NULL)
        fail_msg("%s: used wisdom that it must not: %s", problem, line);
    test_free(line);
    sluice_plan_destroy(plan);
}

static void measuring_keeps_what_it_found(void **state)
{
    static const char *const problems[] = {"c2c:f32:960*2",
                                           "c2c:f64:512",
                                           "c2c:f32:2048:inplace",
                                           "c2c:f64:32x60:inverse",
                                           "c2c:f32:100@3/5*4@300/500",
                                           "c2c:f32:720:in=split:out=split"};
    char text[2][16384];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL), *other = plan_machine("cpu:2", NULL);
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        sluice_plan *plan = measured(m, problems[i], i % 2 ? SLUICE_PATIENT : SLUICE_MEASURE, 0.3);
        char *line = plan_line(plan);
        judge(plan, problems[i]);
        assert_plans_to(m, problems[i], line);
        assert_int_equal(sluice_wisdom_save(m, file), SLUICE_OK);
        assert_int_equal(sluice_wisdom_load(other, file, NULL), SLUICE_OK);
        assert_plans_to(other, problems[i], line);
        test_free(line);
        sluice_plan_destroy(plan);
    }
    read_file(text[0], sizeof text[0]);
    assert_int_equal(sluice_wisdom_save(other, file), SLUICE_OK);
    read_file(text[1], sizeof text[1]);
    assert_string_equal(text[0], text[1]);
    sluice_machine_close(m);
    sluice_machine_close(other);
}

static void wisdom_is_used(void **state)
{
    char text[2 * PLAN_TEXT_SIZE], line[PLAN_TEXT_SIZE];
    sluice_diag why;
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    signature(m, text);
    snprintf(line, sizeof line, "c2c:f32:64 := %s", odd);
    snprintf(text + strlen(text), sizeof text - strlen(text), "# a comment\n\n%s\r\n", line);
    write_file(text);
    assert_avoids(m, "c2c:f32:64");
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_OK);
    assert_string_equal(why.message, "1 formula will be checked on first use");
    assert_plans_to(m, "c2c:f32:64", line);
    assert_plans_to(m, "c2c:f32:64:workers=1", line); /* keys leave workers out */
    assert_plans_to(m, "c2c:f32:64:latency", line);   /* the default, spelled out */
    assert_avoids(m, "c2c:f64:64");                   /* other problems */
    assert_avoids(m, "c2c:f32:64:inplace");
    sluice_plan *again = measured(m, "c2c:f32:64", SLUICE_MEASURE, 0);
    char *third = plan_line(again);
    assert_string_equal(strstr(third, ":= "), strstr(line, ":= ")); /* known: not measured anew */
    test_free(third);
    sluice_plan_destroy(again);
    sluice_machine_close(m);
}

/* However a problem is spelt. */
static void keys_are_normalised(void **state)
{
    static const char *const spellings[] = {
        "c2c:f32:0064",        "c2c:f32:64:forward", "c2c:f32:64@1/1",
        "c2c:f32:64*1",        "c2c:f32:64@1",       "c2c:f32:64:scale=none:in=interleaved",
        "c2c:f32:64:workers=3"};
    char text[2 * PLAN_TEXT_SIZE], line[PLAN_TEXT_SIZE];
    (void)state;
    snprintf(line, sizeof line, "c2c:f32:64 := %s", odd);
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        sluice_machine *m = plan_machine("cpu:1", NULL);
        signature(m, text);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s := %s\n", spellings[i], odd);
        write_file(text);
        assert_int_equal(sluice_wisdom_load(m, file, NULL), SLUICE_OK);
        assert_plans_to(m, "c2c:f32:64", line);
        for (size_t k = 0; k < sizeof spellings / sizeof spellings[0]; k++)
            assert_plans_to(m, spellings[k], line);
        assert_int_equal(sluice_wisdom_save(m, file), SLUICE_OK);
        read_file(text, sizeof text);
        assert_non_null(strstr(text, "\nc2c:f32:64 := "));
        sluice_machine_close(m);
    }
}

static void sizes_are_checked_at_load(void **state)
{
    static const char *const lines[] = {"c2c:f32:16 := DFT(2147483647)\n",
                                        "c2c:f32:16*2 := DFT(16)\n",
                                        "c2c:f32:4x4 := I(4) (x) DFT(8)\n"};
    char text[2 * PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_plan *plan = NULL;
    sluice_diag why;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        signature(m, text);
        strcat(text, lines[i]);
        write_file(text);
        assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_PARSE);
        if (!strstr(why.message, "the formula is "))
            fail_msg("%s: %s", lines[i], why.message);
    }
    assert_int_equal(
        sluice_plan_from_formula(&plan, m, "c2c:f32:16 := DFT(2147483647)", SLUICE_F32, NULL, &why),
        SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "2147483647 x 2147483647"));
    sluice_machine_close(m);
}

typedef struct told {
    char text[4 * PLAN_TEXT_SIZE];
} told;

static sluice_status tell(void *user, const char *text, size_t length)
{
    told *t = user;
    strncat(t->text, text,
            length < sizeof t->text - 1 - strlen(t->text) ? length
                                                          : sizeof t->text - 1 - strlen(t->text));
    return SLUICE_OK;
}

/* Formulas of the right size that are something else: dropped, with a word, at their first plan. */
static void wrong_formulas_are_rejected(void **state)
{
    static const char *const wrong[][2] = {
        {"c2c:f32:16", "I(16)"},
        {"c2c:f32:1000", "(DFT(5)_{leaf} (x) I(200))"},
        {"c2c:f32:64", "(DFT(2)_{leaf} (x) I(32)) * T(2,32) * (I(2) (x) DFT(32)_{leaf})"},
        {"c2c:f64:64:inverse", "DFT(64)"},
        {"c2c:f32:16x32", "DFT(512)"},
        {"c2c:f32:16*16:inplace", "DFT(16) (x) I(16)"},
        {"c2c:f32:32:in=split:out=split", "L(32,2) * DFT(32)"},
        {"c2c:f64:60@2/3", "DFT(60) * (I(58) (+) L(2,1) (+) I(0))"},
        {"c2c:f32:67", "DFT(67)_{leaf}"}, /* cannot be planned */
        {"c2c:f32:17", "I(16) (+) DFT(1)"},
    };
    char text[2 * PLAN_TEXT_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        told t = {.text = ""};
        const sluice_machine_options options = {.units = "cpu:2", .log = tell, .log_user = &t};
        sluice_machine *m = NULL;
        assert_int_equal(sluice_machine_open(&m, &options, NULL), SLUICE_OK);
        signature(m, text);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s := %s\n", wrong[i][0],
                 wrong[i][1]);
        write_file(text);
        if (sluice_wisdom_load(m, file, NULL) == SLUICE_OK) {
            t.text[0] = '\0';
            sluice_plan *plan = plan_made(m, wrong[i][0]);
            judge(plan, wrong[i][0]);
            sluice_plan_destroy(plan);
            if (!strstr(t.text, "sluice,1,plan,wisdom ") || !strstr(t.text, wrong[i][1]))
                fail_msg("%s: nothing was said: %s", wrong[i][0], t.text);
        }
        sluice_machine_close(m);
    }
}

/* ---- machines ---- */

/* The check of a line of a file with this first line, neither with its own. */
static unsigned check_of(const char *first, const char *line)
{
    uint32_t hash = CORE_HASH_START;
    if (first) {
        hash = core_hash(hash, first, strlen(first));
        hash = core_hash(hash, "\n", 1);
    }
    return core_hash(hash, line, strlen(line));
}

/* Ends a line as files do. */
static void add_check(const char *first, char *line, const char *mark)
{
    strcat(line, " # ");
    strcat(line, mark);
    snprintf(line + strlen(line), 16, "%08x\n", check_of(first, line));
}

/* The first line, without its check and newline. */
static void first_line(sluice_machine *m, char *text)
{
    signature(m, text);
    char *mark = strstr(text, " # ");
    assert_non_null(mark);
    *mark = '\0';
}

static void foreign_files_are_rejected_whole(void **state)
{
    char text[2 * PLAN_TEXT_SIZE], first[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL), *ref = plan_machine("ref", NULL);
    sluice_machine *scalar = plan_machine("cpu:2", "scalar");
    sluice_diag why = {0};
    first_line(m, first);
    snprintf(text, sizeof text, "%s\nc2c:f32:64 := %s\n", first, odd);
    text[strlen("sluice-wisdom ")] = '7'; /* another version of the format */
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "format '7'"));
    text[strlen("sluice-wisdom ")] = '2';
    write_file(text);
    assert_int_equal(sluice_wisdom_load(ref, file, &why), SLUICE_E_INVALID); /* other units */
    assert_non_null(strstr(why.message, "other units"));
    if (strstr(text, "cpu:scalar") == NULL)
        assert_int_equal(sluice_wisdom_load(scalar, file, NULL), SLUICE_E_INVALID);
    write_file(strchr(text, '\n') + 1); /* no signature */
    assert_int_equal(sluice_wisdom_load(m, file, NULL), SLUICE_E_INVALID);
    assert_avoids(m, "c2c:f32:64");
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_OK);
    signature(m, text);
    text[20] ^= 1; /* its check fails */
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_INVALID);
    assert_non_null(strstr(why.message, "cut or changed"));
    sluice_machine_close(m);
    sluice_machine_close(ref);
    sluice_machine_close(scalar);
}

/* A machine of the same kind: costs are kept, formulas are checked, and it is said. */
static void files_of_other_machines_are_taken_with_a_word(void **state)
{
    char text[4 * PLAN_TEXT_SIZE], first[PLAN_TEXT_SIZE], line[PLAN_TEXT_SIZE],
        planned[PLAN_TEXT_SIZE], name[64];
    sluice_codelet_info info;
    sluice_diag why;
    (void)state;
    snprintf(planned, sizeof planned, "c2c:f32:64 := %s", odd);
    sluice_machine *m = plan_machine("cpu:2", NULL);
    assert_int_equal(sluice_machine_codelet_info(m, 2, &info), SLUICE_OK);
    strcpy(name, info.name);
    for (int wrong = 0; wrong < 2; wrong++) {
        first_line(m, first);
        strcpy(strrchr(first, ' '), " 32768:1:2:f00");
        snprintf(text, sizeof text, "%s", first);
        add_check(NULL, text, "");
        snprintf(line, sizeof line, "codelet %s 7.5", name);
        add_check(first, line, "");
        strcat(text, line);
        snprintf(line, sizeof line, "c2c:f32:64 := %s%s", odd, wrong ? " * L(64,32)" : "");
        add_check(first, line, "");
        strcat(text, line);
        sluice_machine *other = plan_machine("cpu:2", NULL);
        write_file(text);
        assert_int_equal(sluice_wisdom_load(other, file, &why), SLUICE_OK);
        if (!strstr(why.message, "another machine, '32768:1:2:f00'")
            || !strstr(why.message, "1 formula will be checked on first use; of another machine"))
            fail_msg("%s", why.message);
        assert_int_equal(sluice_machine_codelet_info(other, 2, &info), SLUICE_OK);
        assert_true(info.measured == 7.5);
        /* Saved before it was used it is marked, then it is proven or gone. */
        for (int used = 0; used < 2; used++) {
            assert_int_equal(sluice_wisdom_save(other, file), SLUICE_OK);
            read_file(text, sizeof text);
            const bool marked = strstr(text, " # unproven ") != NULL;
            assert_int_equal(marked, !used);
            assert_int_equal(strstr(text, odd) != NULL, !(used && wrong));
            assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_OK);
            assert_string_equal(why.message, ""); /* said before */
            if (wrong)
                assert_avoids(other, "c2c:f32:64");
            else
                assert_plans_to(other, "c2c:f32:64", planned);
        }
        sluice_machine_close(other);
        /* What m has proven is not replaced by what nobody has. */
        assert_plans_to(m, "c2c:f32:64", planned);
    }
    sluice_machine_close(m);
}

static void files_of_format_1_are_taken_with_a_word(void **state)
{
    char text[4 * PLAN_TEXT_SIZE], first[PLAN_TEXT_SIZE], kind[64], make[64], line[PLAN_TEXT_SIZE];
    sluice_diag why;
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    first_line(m, first);
    assert_int_equal(sscanf(first, "sluice-wisdom 5 0.1.0 %63s %63s", kind, make), 2);
    char *hash = strrchr(kind, ':');
    assert_non_null(hash);
    *hash++ = '\0';
    snprintf(line, sizeof line, "c2c:f32:64 := %s", odd);
    snprintf(text, sizeof text, "sluice-wisdom 1 0.1.0 %s:7:%s:%s\nc2c:f32:16 := I(16)\n%s\n", kind,
             make, hash, line);
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_OK);
    assert_string_equal(why.message, "2 formulas will be checked on first use; format 1, whose "
                                     "lines have no checks");
    assert_plans_to(m, "c2c:f32:64", line);
    sluice_plan *plan = plan_made(m, "c2c:f32:16");
    judge(plan, "c2c:f32:16");
    sluice_plan_destroy(plan);
    hash[0] = hash[0] == '0' ? '1' : '0'; /* other codelets */
    snprintf(text, sizeof text, "sluice-wisdom 1 0.1.0 %s:7:%s:%s\n%s\n", kind, make, hash, line);
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_INVALID);
    sluice_machine_close(m);
}

/* Formulas to be checked, costs left. */
static void take_file_of_format(int format)
{
    char text[4 * PLAN_TEXT_SIZE], first[PLAN_TEXT_SIZE], kind[64], make[64], line[PLAN_TEXT_SIZE];
    sluice_codelet_info codelet;
    sluice_diag why;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    first_line(m, first);
    assert_int_equal(sscanf(first, "sluice-wisdom 5 0.1.0 %63s %63s", kind, make), 2);
    assert_int_equal(sluice_machine_codelet_info(m, 3, &codelet), SLUICE_OK);
    snprintf(line, sizeof line, "c2c:f32:64 := %s", odd);
    snprintf(text, sizeof text, "sluice-wisdom %d 0.1.0 %s %s\ncodelet %s 5\n%s\n", format, kind,
             make, codelet.name, line);
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_OK);
    snprintf(
        text, sizeof text,
        "1 formula will be checked on first use; format %d, whose costs lack figures: tune anew",
        format);
    assert_string_equal(why.message, text);
    assert_plans_to(m, "c2c:f32:64", line);
    assert_int_equal(sluice_machine_codelet_info(m, 3, &codelet), SLUICE_OK);
    assert_true(codelet.measured == 0);
    sluice_machine_close(m);
}

static void files_of_older_formats_are_taken_with_a_word(void **state)
{
    (void)state;
    for (int format = 2; format < SCHED_WISDOM_FORMAT; format++)
        take_file_of_format(format);
}

static bool has_parts(const char *line)
{
    return strstr(line, "spe(") || strstr(line, "SUM.par");
}

/* A file that two units made serves one and four: the same breakdown, dealt to as many. */
static void files_serve_any_number_of_units(void **state)
{
    static const char *const problems[] = {
        "c2c:f32:65536",         "c2c:f64:64x64*4", "c2c:f32:128*300",         "c2c:f64:37333",
        "c2c:f32:32768:inverse", "c2c:f32:1000",    "c2c:f64:36x40x30:inplace"};
    static const char *const units[] = {"cpu:2", "cpu:1", "cpu:4"};
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        plan_data data[3];
        bool parts[3];
        for (int u = 0; u < 3; u++) {
            sluice_machine *m = plan_machine(units[u], NULL);
            sluice_diag why = {.message = ""};
            if (u > 0)
                assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_OK);
            assert_string_equal(why.message, "");
            sluice_plan *plan =
                u == 0 ? measured(m, problems[i], SLUICE_MEASURE, 0.2) : plan_made(m, problems[i]);
            char *line = plan_line(plan);
            parts[u] = has_parts(line);
            test_free(line);
            plan_data_open(&data[u], plan, problems[i], 0);
            plan_data_execute(&data[u], plan, SEED, NULL);
            if (u == 0)
                assert_int_equal(sluice_wisdom_save(m, file), SLUICE_OK);
            else
                assert_true(plan_data_same(&data[0], &data[u]));
            sluice_plan_destroy(plan);
            sluice_machine_close(m);
        }
        assert_false(parts[1]);
        assert_int_equal(parts[0], parts[2]);
        for (int u = 0; u < 3; u++)
            plan_data_close(&data[u]);
    }
}

/* ---- damage ---- */

static const char *const kept[] = {"c2c:f32:1000", "c2c:f64:96*5", "c2c:f32:12x10:inverse"};
enum { KEPT = sizeof kept / sizeof kept[0] };

/* A file of what measuring found for those. */
static void write_kept(char *text, size_t room)
{
    sluice_machine *m = plan_machine("cpu:1", NULL);
    for (int i = 0; i < KEPT; i++)
        sluice_plan_destroy(measured(m, kept[i], SLUICE_MEASURE, 1e-9));
    assert_int_equal(sluice_wisdom_save(m, file), SLUICE_OK);
    sluice_machine_close(m);
    read_file(text, room);
}

static void judge_kept(sluice_machine *m)
{
    for (int i = 0; i < KEPT; i++)
        plan_check_problem(m, kept[i], SEED);
}

/* A cut within a line is told, at any byte; nothing of it is taken. */
static void cut_files_are_told(void **state)
{
    char text[8192], cut[8192];
    (void)state;
    write_kept(text, sizeof text);
    sluice_machine *m = plan_machine("cpu:1", NULL);
    const size_t length = strlen(text), first = strcspn(text, "\n");
    for (size_t at = 1; at < length; at++) {
        sluice_diag why = {0};
        memcpy(cut, text, at);
        cut[at] = '\0';
        write_file(cut);
        const sluice_status status = sluice_wisdom_load(m, file, &why);
        const bool between = text[at] == '\n' || text[at - 1] == '\n';
        if (status != (between ? SLUICE_OK : at < first ? SLUICE_E_INVALID : SLUICE_E_PARSE))
            fail_msg("cut at byte %zu of %zu: status %d, %s", at, length, status, why.message);
    }
    judge_kept(m);
    sluice_machine_close(m);
}

/* So is a byte that was changed. */
static void changed_files_are_told(void **state)
{
    char text[8192];
    uint64_t seed = 5;
    (void)state;
    write_kept(text, sizeof text);
    sluice_machine *m = plan_machine("cpu:1", NULL);
    const size_t length = strlen(text);
    for (size_t at = 0; at < length; at++) {
        sluice_diag why = {0};
        const char was = text[at], byte = (char)(36 + plan_below(&seed, 90)); /* no '#' */
        if (was == '\n' || was == byte)
            continue;
        text[at] = byte;
        write_file(text);
        const sluice_status status = sluice_wisdom_load(m, file, &why);
        if (status != SLUICE_E_PARSE && status != SLUICE_E_INVALID)
            fail_msg("byte %zu of %zu as '%c': status %d, %s", at, length, byte, status,
                     why.message);
        text[at] = was;
    }
    judge_kept(m);
    sluice_machine_close(m);
}

static void bytes_of_0_are_told(void **state)
{
    char text[2 * PLAN_TEXT_SIZE];
    sluice_diag why;
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    signature(m, text);
    strcat(text, "c2c:f32:16 := DFT(16)?\nc2c:f32:32 := DFT(33)\n");
    const size_t length = strlen(text);
    *strchr(text, '?') = '\0';
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_PARSE);
    assert_non_null(strstr(why.message, "2 lines rejected, line 2 first: a byte of it is 0"));
    sluice_machine_close(m);
}

static void corrupt_lines_are_rejected_alone(void **state)
{
    static const char *const corrupt[] = {"c2c:f32:64",
                                          "c2c:f32:64 :=",
                                          "c2c:f32:64 := ",
                                          "c2c:f32:64 := DFT(",
                                          "c2c:f33:64 := DFT(64)",
                                          " := DFT(64)",
                                          "\x01\x02",
                                          "c2c:f32:64 := DFT(8) * DFT(4)"};
    enum { CORRUPT = sizeof corrupt / sizeof corrupt[0] };
    char text[4 * PLAN_TEXT_SIZE], line[PLAN_TEXT_SIZE];
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_diag why = {0};
    signature(m, text);
    snprintf(line, sizeof line, "c2c:f32:64 := %s", odd);
    for (int i = 0; i < CORRUPT; i++) {
        strcat(text, corrupt[i]);
        strcat(text, "\n");
        if (i == 3) {
            strcat(text, line);
            strcat(text, "\n");
        }
    }
    write_file(text);
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_PARSE);
    snprintf(text, sizeof text, "%d", CORRUPT);
    if (strstr(why.message, text) == NULL || strstr(why.message, "line 2") == NULL)
        fail_msg("expected %d lines, the first of them line 2: %s", CORRUPT, why.message);
    assert_plans_to(m, "c2c:f32:64", line);
    sluice_machine_close(m);
}

static void files_that_are_no_files(void **state)
{
    (void)state;
    sluice_machine *m = plan_machine("cpu:2", NULL);
    sluice_diag why = {0};
    char missing[PLAN_TEXT_SIZE + 16];
    snprintf(missing, sizeof missing, "%s/none/wisdom", file);
    assert_int_equal(sluice_wisdom_save(m, missing), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_load(m, missing, &why), SLUICE_E_IO);
    assert_true(strlen(why.message) > 10);
    write_file("");
    assert_int_equal(sluice_wisdom_load(m, file, &why), SLUICE_E_PARSE);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(sluice_wisdom_save(m, "/dev/full"), SLUICE_E_IO);
    const int here = open(".", O_RDONLY);
    assert_true(remove(file) == 0 && mkdir(file, 0700) == 0 && chdir(file) == 0);
    assert_int_equal(sluice_wisdom_save(m, "."), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_load(m, ".", NULL), SLUICE_E_IO);
    assert_int_equal(sluice_wisdom_save(m, ""), SLUICE_E_IO);
    assert_true(fchdir(here) == 0 && close(here) == 0);
    assert_int_equal(rmdir(file), 0); /* nothing is left there */
    sluice_machine_close(m);
}

static void a_file_that_cannot_be_replaced_stays(void **state)
{
    char name[2 * PLAN_TEXT_SIZE], text[8] = "";
    (void)state;
    sluice_machine *m = plan_machine("cpu:1", NULL);
    snprintf(name, sizeof name, "%s", file);
    char *last = strrchr(name, '/');
    memset(last + 1, 'n', 250); /* no room for the name beside it */
    last[251] = '\0';
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs("old", f);
    fclose(f);
    const sluice_status status = sluice_wisdom_save(m, name);
    f = fopen(name, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    remove(name);
    assert_int_equal(status, SLUICE_E_IO);
    assert_string_equal(text, "old");
    sluice_machine_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(measuring_keeps_what_it_found, open_file, close_file),
        cmocka_unit_test_setup_teardown(wisdom_is_used, open_file, close_file),
        cmocka_unit_test_setup_teardown(keys_are_normalised, open_file, close_file),
        cmocka_unit_test_setup_teardown(sizes_are_checked_at_load, open_file, close_file),
        cmocka_unit_test_setup_teardown(wrong_formulas_are_rejected, open_file, close_file),
        cmocka_unit_test_setup_teardown(files_of_other_machines_are_taken_with_a_word, open_file,
                                        close_file),
        cmocka_unit_test_setup_teardown(files_of_format_1_are_taken_with_a_word, open_file,
                                        close_file),
        cmocka_unit_test_setup_teardown(files_of_older_formats_are_taken_with_a_word, open_file,
                                        close_file),
        cmocka_unit_test_setup_teardown(files_serve_any_number_of_units, open_file, close_file),
        cmocka_unit_test_setup_teardown(cut_files_are_told, open_file, close_file),
        cmocka_unit_test_setup_teardown(changed_files_are_told, open_file, close_file),
        cmocka_unit_test_setup_teardown(bytes_of_0_are_told, open_file, close_file),
        cmocka_unit_test_setup_teardown(foreign_files_are_rejected_whole, open_file, close_file),
        cmocka_unit_test_setup_teardown(corrupt_lines_are_rejected_alone, open_file, close_file),
        cmocka_unit_test_setup_teardown(files_that_are_no_files, open_file, close_file),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_replaced_stays, open_file,
                                        close_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
