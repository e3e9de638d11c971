// SPDX-License-Identifier: BSD-3-Clause
/* Dependencies point downwards: reads the sources (run it in the source root) and refuses an
 * #include of a higher layer or of a higher folder, of one backend by another, calls of functions
 * that a higher folder defines, headers that declare functions of another folder, files in folders
 * that have no place yet, and two files of one name. */
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const layers[] = {"core", "spl", "backends", "streaming", "sched", "api"};
enum { LAYERS = sizeof layers / sizeof layers[0] };
static const char *const programs[] = {"tools", "bench", "examples"};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

/* Folders from the ground up; those of one line may include each other, which they have no need
 * to. */
enum { NEIGHBOURS = 6 };
static const char *const folders[][NEIGHBOURS] = {
    {"core"},
    {"spl/context"},
    {"spl/index"},
    {"spl/formula"},
    {"spl/codelet"},
    {"spl/oracle"},
    {"spl/rules"},
    {"spl/rules/breakdown", "spl/rules/tags"},
    {"spl/program"},
    {"spl/bind"},
    {"spl/price"},
    {"spl/emit"},
    {"spl/codelet/tool"},
    {"backends"},
    {"backends/ref", "backends/fake", "backends/opencl", "backends/cpu/isa",
     "backends/cpu/threads"},
    {"backends/cpu/run"},
    {"backends/cpu/cost"},
    {"backends/cpu"},
    {"streaming"},
    {"sched/problem"},
    {"sched/machine"},
    {"sched/planner"},
    {"sched/plan"},
    {"sched/emit"},
    {"api"},
};
enum { FOLDERS = sizeof folders / sizeof folders[0] };

/* The line of a path's folder; -1: it has none. */
static int height_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    for (int i = 0; i < FOLDERS; i++)
        for (int k = 0; k < NEIGHBOURS && folders[i][k] != NULL; k++)
            if (strlen(folders[i][k]) == length && memcmp(path, folders[i][k], length) == 0)
                return i;
    return -1;
}

/* The layer of a path, -1 for a path on none. */
static int layer_of(const char *path)
{
    const size_t length = strcspn(path, "/");
    for (int i = 0; i < LAYERS; i++)
        if (strlen(layers[i]) == length && memcmp(path, layers[i], length) == 0)
            return i;
    return -1;
}

/* The folder below backends/ that a path lies in; length 0: none. */
static size_t backend_of(const char *path, const char **name)
{
    static const char prefix[] = "backends/";
    if (strncmp(path, prefix, sizeof prefix - 1) != 0)
        return 0;
    *name = path + sizeof prefix - 1;
    const char *slash = strchr(*name, '/');
    return slash == NULL ? 0 : (size_t)(slash - *name);
}

/* Why `file` must not include `header`; NULL: it may. */
static const char *objection(const char *file, const char *header)
{
    const char *mine = NULL, *other = NULL;
    if (strcmp(header, "api/sluice.h") == 0 || strcmp(header, "api/sluice_opencl.h") == 0
        || strcmp(header, "api/sluice_cuda.h") == 0
        || strcmp(header, "sluice.h") == 0) /* as installed, for the other */
        return NULL;
    if (layer_of(header) < 0)
        return "is on no layer (name the folder)";
    if (layer_of(header) > layer_of(file))
        return "is on a higher layer";
    const size_t my_length = backend_of(file, &mine);
    const size_t other_length = backend_of(header, &other);
    if (my_length > 0 && other_length > 0
        && (my_length != other_length || memcmp(mine, other, my_length) != 0))
        return "belongs to another backend";
    if (height_of(header) < 0)
        return "is in a folder without a place";
    if (height_of(header) > height_of(file))
        return "is in a higher folder";
    return NULL;
}

/* The header of a line `#include "header"`; false for any other line. */
static bool parse_include(const char *line, char *header, size_t size)
{
    line += strspn(line, " \t");
    if (*line++ != '#')
        return false;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return false;
    line += 7;
    line += strspn(line, " \t");
    const char *end = *line == '"' ? strchr(line + 1, '"') : NULL;
    if (end == NULL || (size_t)(end - line) > size)
        return false;
    memcpy(header, line + 1, (size_t)(end - line) - 1);
    header[end - line - 1] = '\0';
    return true;
}

static int check_file(const char *path)
{
    char line[1024], header[512];
    int wrong = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    if (height_of(path) < 0) {
        print_error("%s is in a folder without a place\n", path);
        wrong++;
    }
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        if (!parse_include(line, header, sizeof header))
            continue;
        const char *why = objection(path, header);
        if (why != NULL) {
            print_error("%s:%d: \"%s\" %s\n", path, number, header, why);
            wrong++;
        }
    }
    fclose(file);
    return wrong;
}

typedef struct listing {
    char (*paths)[256];
    size_t count, capacity;
} listing;

static void list_file(listing *list, const char *path)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->paths = realloc(list->paths, list->capacity * sizeof *list->paths);
        assert_non_null(list->paths);
    }
    memcpy(list->paths[list->count++], path, strlen(path) + 1);
}

static bool ends_in(const char *name, const char *end)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL && strcmp(dot, end) == 0;
}

/* Every .c and .h below `folder`; a folder that is not there is empty. */
static void list_folder(listing *list, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[256];
        if (entry->d_name[0] == '.')
            continue;
        assert_true((size_t)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name)
                    < sizeof path);
        if (ends_in(entry->d_name, ".c") || ends_in(entry->d_name, ".h"))
            list_file(list, path);
        else if (strchr(entry->d_name, '.') == NULL)
            list_folder(list, path);
    }
    if (dir != NULL)
        closedir(dir);
}

static void includes_point_downwards(void **state)
{
    (void)state;
    listing list = {0};
    int wrong = 0;
    for (int i = 0; i < LAYERS; i++)
        list_folder(&list, layers[i]);
    assert_true(list.count > 10); /* else this is not the source root */
    for (size_t i = 0; i < list.count; i++)
        wrong += check_file(list.paths[i]);
    free(list.paths);
    assert_int_equal(wrong, 0);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static int repeated_names(const listing *list)
{
    int repeated = 0;
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(base_name(list->paths[i]), base_name(list->paths[j])) == 0) {
                print_error("%s and %s have one name\n", list->paths[j], list->paths[i]);
                repeated++;
            }
    return repeated;
}

static void names_are_unique(void **state)
{
    (void)state;
    listing list = {0};
    for (int i = 0; i < LAYERS; i++)
        list_folder(&list, layers[i]);
    for (int i = 0; i < PROGRAMS; i++)
        list_folder(&list, programs[i]);
    const int repeated = repeated_names(&list);
    list_file(&list, "somewhere/mem.h");
    assert_int_equal(repeated_names(&list), repeated + 1); /* the check does object */
    free(list.paths);
    assert_int_equal(repeated, 0);
}

/* ---- calls and declarations ---- */

enum { MAX_NAME = 64, MAX_FUNCTIONS = 8192 };
typedef struct function {
    char name[MAX_NAME];
    int height;
} function;
static function functions[MAX_FUNCTIONS];
static size_t function_count;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const function *)a)->name, ((const function *)b)->name);
}

/* The text of a file after a line's end. */
static char *read_source(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t size = (size_t)ftell(file);
    char *text = calloc(1, size + 2);
    assert_non_null(text);
    rewind(file);
    text[0] = '\n';
    assert_int_equal(fread(text + 1, 1, size, file), size);
    fclose(file);
    return text;
}

/* The end of a comment, a string or a line of the preprocessor that begins at `at`; NULL: none
 * does. */
static const char *end_of_no_code(const char *at)
{
    if (strncmp(at, "/*", 2) == 0)
        return strstr(at + 2, "*/") + 2;
    if (strncmp(at, "//", 2) == 0 || (*at == '#' && at[-1] == '\n'))
        return at + strcspn(at, "\n");
    if (*at != '"' && *at != '\'')
        return NULL;
    const char quote = *at++;
    while (*at != quote)
        at += *at == '\\' ? 2 : 1;
    return at + 1;
}

/* Blanks out all that is no code; `text` begins after a line's end. */
static void keep_code(char *text)
{
    while (*text != '\0') {
        const char *end = end_of_no_code(text);
        for (; text < end; text++)
            *text = *text == '\n' ? '\n' : ' ';
        if (end == NULL)
            text++;
    }
}

/* The name before the parenthesis at `at`; its length, 0 if there is none. */
static size_t name_before(const char *text, const char *at, const char **name)
{
    while (at > text && at[-1] == ' ')
        at--;
    const char *end = at;
    while (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        at--;
    *name = at;
    return at > text && (at[-1] == '.' || at[-1] == '>') ? 0 : (size_t)(end - at);
}

/* Calls f with every name in front of a parenthesis; `outside`: of blocks, else inside them.
 * Outside also those before a semicolon, as functions may be declared by the name of their type. */
static void for_each_name(const char *text, bool outside, void (*f)(void *, const char *, size_t),
                          void *user)
{
    int depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        const char *name;
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
        const bool ends_name = *at == '(' || (outside && *at == ';');
        const size_t length =
            ends_name && (depth == 0) == outside ? name_before(text, at, &name) : 0;
        if (length > 0 && length < MAX_NAME)
            f(user, name, length);
    }
}

/* A definition: outside of blocks, not static, with a block after its parameters. */
static void note_definition(void *path, const char *name, size_t length)
{
    const char *end = name + strcspn(name, ";{"), *line = name;
    while (line[-1] != '\n')
        line--;
    if (*end != '{' || strncmp(line, "static", 6) == 0 || strncmp(line, "typedef", 7) == 0
        || memchr(name, '_', length) == NULL || strncmp(name + length, " (*", 3) == 0) /* a type */
        return;
    assert_true(function_count < MAX_FUNCTIONS);
    function *f = &functions[function_count++];
    memcpy(f->name, name, length);
    f->name[length] = '\0';
    f->height = height_of(path);
}

typedef struct user_file {
    const char *path;
    bool declares;
    int wrong;
} user_file;

/* A file calls functions of its own folder and of those below, and declares those of its own. */
static void check_name(void *user, const char *name, size_t length)
{
    user_file *u = user;
    const int height = height_of(u->path);
    function key = {.height = 0};
    memcpy(key.name, name, length);
    const function *f = bsearch(&key, functions, function_count, sizeof key, by_name);
    if (f == NULL || (u->declares ? f->height == height : f->height <= height))
        return;
    print_error("%s %s %s of a %s folder\n", u->path, u->declares ? "declares" : "calls", key.name,
                f->height < height ? "lower" : "higher");
    u->wrong++;
}

static int check_names(const char *path, const char *code, bool declares)
{
    user_file u = {.path = path, .declares = declares};
    for_each_name(code, declares, check_name, &u);
    return u.wrong;
}

static void functions_are_in_their_layers(void **state)
{
    (void)state;
    listing list = {0};
    int wrong = 0;
    for (int i = 0; i < LAYERS; i++)
        list_folder(&list, layers[i]);
    char **text = calloc(list.count, sizeof *text);
    assert_non_null(text);
    for (size_t i = 0; i < list.count; i++) {
        text[i] = read_source(list.paths[i]);
        keep_code(text[i] + 1);
        for_each_name(text[i], true, note_definition, list.paths[i]);
    }
    qsort(functions, function_count, sizeof *functions, by_name);
    assert_true(function_count > 1000);
    for (size_t i = 0; i < list.count; i++) {
        wrong += check_names(list.paths[i], text[i], false);
        if (ends_in(list.paths[i], ".h"))
            wrong += check_names(list.paths[i], text[i], true);
        free(text[i]);
    }
    assert_int_equal(check_names("core/mem.c", "\n{\n    spl_mul(ctx, 2, x);\n}\n", false), 1);
    assert_int_equal(check_names("core/mem.h", "\nvoid spl_mul(int);\nrun cpu_run_any;\n", true),
                     2);
    free(text);
    free(list.paths);
    assert_int_equal(wrong, 0);
}

static void the_checker_objects(void **state)
{
    (void)state;
    char header[64];
    assert_null(objection("spl/index/ix.c", "core/mem.h"));
    assert_null(objection("spl/index/ix.c", "spl/index/ix.h"));
    assert_null(objection("spl/rules/tags/rules_spe.c", "spl/rules/rewrite.h"));
    assert_null(objection("core/mem.c", "api/sluice.h"));
    assert_null(objection("backends/cpu/run/cpu_run.c", "spl/bind/bind_tape.h"));
    assert_null(objection("backends/cpu/run/cpu_run.c", "backends/backend.h"));
    assert_non_null(objection("core/mem.c", "spl/index/ix.h"));
    assert_non_null(objection("core/mem.c", "api/machine.h"));
    assert_non_null(objection("streaming/pipeline.c", "sched/plan/plan.h"));
    assert_non_null(objection("sched/planner/radix.c", "sched/plan/plan.h"));
    assert_non_null(objection("spl/index/ix.c", "spl/formula/spl.h"));
    assert_non_null(objection("spl/formula/node.c", "spl/codelet/codelet.h"));
    assert_non_null(objection("spl/index/ix.c", "spl/elsewhere/ix.h"));
    assert_non_null(objection("backends/cpu/run/cpu_run.c", "backends/ref/ref.h"));
    assert_non_null(objection("backends/cpu/run/cpu_run.c", "backends/cp/cp.h"));
    assert_non_null(objection("api/api.c", "tools/tool.h"));
    assert_non_null(objection("core/mem.c", "mem.h"));
    assert_true(parse_include(" #  include \"a/b.h\" // why", header, sizeof header));
    assert_string_equal(header, "a/b.h");
    assert_false(parse_include("#include <a/b.h>", header, sizeof header));
    assert_false(parse_include("int include;", header, sizeof header));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checker_objects),
        cmocka_unit_test(includes_point_downwards),
        cmocka_unit_test(functions_are_in_their_layers),
        cmocka_unit_test(names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
