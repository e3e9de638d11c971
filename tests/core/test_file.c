// SPDX-License-Identifier: BSD-3-Clause
/* Atomic replacement of files, in a temporary folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/file.h"

enum { PATH_SIZE = 1024 };

static char folder[PATH_SIZE];

static int open_folder(void **state)
{
    (void)state;
    const char *temporary = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/sluice-file-XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static const char *in_folder(const char *name)
{
    static char path[2 * PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Names in the folder; with `clear` they are removed. */
static int count_names(bool clear)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int count = 0;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (clear)
            remove(in_folder(entry->d_name));
        count++;
    }
    closedir(dir);
    return count;
}

static int close_folder(void **state)
{
    (void)state;
    chmod(folder, 0700);
    count_names(true);
    return rmdir(folder);
}

static sluice_status write_text(const char *path, const char *text)
{
    return core_file_write(path, text, strlen(text));
}

static void assert_holds(const char *path, const char *text)
{
    char found[PATH_SIZE];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, text);
}

static void files_are_made_and_replaced(void **state)
{
    (void)state;
    assert_int_equal(write_text(in_folder("a"), "one"), SLUICE_OK);
    assert_holds(in_folder("a"), "one");
    assert_int_equal(write_text(in_folder("a"), ""), SLUICE_OK);
    assert_holds(in_folder("a"), "");
    assert_int_equal(count_names(false), 1);
}

static void permissions_and_links_stay(void **state)
{
    char file[2 * PATH_SIZE];
    struct stat about;
    (void)state;
    snprintf(file, sizeof file, "%s", in_folder("file"));
    assert_int_equal(write_text(file, "old"), SLUICE_OK);
    assert_int_equal(chmod(file, 0640), 0);
    assert_int_equal(symlink("file", in_folder("link")), 0);
    assert_int_equal(write_text(in_folder("link"), "new"), SLUICE_OK);
    assert_holds(file, "new");
    assert_int_equal(stat(file, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(lstat(in_folder("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(count_names(false), 2);
}

/* The temporary name would be too long. */
static void without_a_name_beside_it_a_file_stays(void **state)
{
    char name[256];
    (void)state;
    memset(name, 'n', 250);
    name[250] = '\0';
    FILE *f = fopen(in_folder(name), "w");
    assert_non_null(f);
    fputs("old", f);
    fclose(f);
    assert_int_equal(write_text(in_folder(name), "new"), SLUICE_E_IO);
    assert_int_equal(errno, ENAMETOOLONG);
    assert_holds(in_folder(name), "old");
    assert_int_equal(count_names(false), 1);
}

/* As on a full disk: files are limited to a few bytes. */
static void where_writing_ends_early_a_file_stays(void **state)
{
    struct rlimit was, few;
    (void)state;
    assert_int_equal(write_text(in_folder("file"), "old"), SLUICE_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    few = was;
    few.rlim_cur = 5;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    const sluice_status status = write_text(in_folder("file"), "longer than that");
    const int error = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, SLUICE_E_IO);
    assert_int_equal(error, EFBIG);
    assert_holds(in_folder("file"), "old");
    assert_int_equal(count_names(false), 1);
}

static void what_may_not_be_written_stays(void **state)
{
    (void)state;
    if (geteuid() == 0)
        skip(); /* root may */
    assert_int_equal(write_text(in_folder("file"), "old"), SLUICE_OK);
    assert_int_equal(chmod(folder, 0500), 0);
    assert_int_equal(write_text(in_folder("file"), "new"), SLUICE_E_IO);
    assert_int_equal(errno, EACCES);
    assert_int_equal(chmod(folder, 0700), 0);
    assert_int_equal(chmod(in_folder("file"), 0400), 0);
    assert_int_equal(write_text(in_folder("file"), "new"), SLUICE_E_IO);
    assert_holds(in_folder("file"), "old");
    assert_int_equal(count_names(false), 1);
}

static void what_is_no_file_is_written_directly(void **state)
{
    (void)state;
    assert_int_equal(write_text("/dev/null", "text"), SLUICE_OK);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(write_text("/dev/full", "text"), SLUICE_E_IO);
        assert_int_equal(errno, ENOSPC);
    }
    assert_int_equal(write_text(folder, "text"), SLUICE_E_IO);
    assert_int_equal(write_text("", "text"), SLUICE_E_IO);
    assert_int_equal(write_text(in_folder("none/file"), "text"), SLUICE_E_IO);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(count_names(false), 0);
}

/* Files left by a process that was killed while writing. */
static void leftovers_are_replaced(void **state)
{
    (void)state;
    char path[2 * PATH_SIZE], part[2 * PATH_SIZE + 32];
    strcpy(path, in_folder("kept"));
    snprintf(part, sizeof part, "%s.sluice-part1", path);
    FILE *left = fopen(part, "wb");
    assert_non_null(left);
    fputs("half of a much longer text", left);
    fclose(left);
    assert_int_equal(write_text(path, "whole"), SLUICE_OK);
    assert_holds(path, "whole");
    assert_int_equal(count_names(true), 1);
}

/* A name that a living writer has locked is not reused; no link is followed. */
static void names_in_use_are_left_alone(void **state)
{
    (void)state;
    char path[2 * PATH_SIZE], part[2 * PATH_SIZE + 32], second[2 * PATH_SIZE + 32];
    strcpy(path, in_folder("kept"));
    snprintf(part, sizeof part, "%s.sluice-part1", path);
    snprintf(second, sizeof second, "%s.sluice-part2", path);
    const int held = open(part, O_WRONLY | O_CREAT, 0666);
    assert_true(held >= 0 && flock(held, LOCK_EX) == 0 && write(held, "mine", 4) == 4);
    assert_int_equal(write_text(path, "theirs"), SLUICE_OK);
    assert_holds(path, "theirs");
    assert_holds(part, "mine");
    assert_int_equal(symlink(part, second), 0);
    assert_int_equal(write_text(path, "again"), SLUICE_E_IO);
    assert_int_equal(errno, ELOOP);
    assert_holds(path, "theirs");
    assert_holds(part, "mine");
    close(held);
    assert_int_equal(count_names(true), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_made_and_replaced, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(permissions_and_links_stay, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(without_a_name_beside_it_a_file_stays, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(where_writing_ends_early_a_file_stays, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(what_may_not_be_written_stays, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_written_directly, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(leftovers_are_replaced, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(names_in_use_are_left_alone, open_folder, close_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
