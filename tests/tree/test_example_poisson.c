// SPDX-License-Identifier: BSD-3-Clause
/* The example poisson: the solution that it knows, at odd and long sizes; the potential and the
 * field of a density that is one wave; its picture; what it refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <png.h>

#define PI 3.14159265358979323846

static char folder[] = "/tmp/sluice-poisson-XXXXXX";
static char said[1024]; /* by the last command */

static int poisson(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "cd %s && '%s/examples/poisson' %s 2>&1", folder,
             getenv("SLUICE_BIN_DIR"), arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, sizeof said - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* A density of (1 + cos) / 2 along the rows, or along the columns, as darkness. */
static void write_wave(const char *name, size_t height, size_t width, int across)
{
    char path[128];
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .height = (png_uint_32)height,
                       .width = (png_uint_32)width,
                       .format = PNG_FORMAT_GRAY};
    unsigned char *bytes = malloc(height * width);
    assert_non_null(bytes);
    for (size_t i = 0; i < height * width; i++) {
        const double x = across ? ((double)(i % width) + 0.5) / (double)width
                                : ((double)(i / width) + 0.5) / (double)height;
        bytes[i] = (unsigned char)rint(255 - 127.5 * (1 + cos(PI * x)));
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(png_image_write_to_file(&image, path, 0, bytes, 0, NULL));
    free(bytes);
}

static void assert_close(double value, double wanted)
{
    if (!(fabs(value - wanted) <= 0.01 * fabs(wanted)))
        fail_msg("%g is not %g: %s", value, wanted, said);
}

/* Of cos(w x) / 2, w = pi / n, the potential is cos(w x) / 2 w^2 and the field sin(w x) / 2 w. */
static void check_wave(size_t height, size_t width, int across)
{
    double potential, down, sideways, known, known_field;
    const double n = (double)(across ? width : height), w = PI / n;
    write_wave("wave.png", height, width, across);
    if (poisson("wave.png out.png") != 0)
        fail_msg("%s", said);
    assert_int_equal(sscanf(said,
                            "known solution: potential within %lf, field within %lf\n%*d x %*d: "
                            "potential to %lf, field to %lf down and %lf across",
                            &known, &known_field, &potential, &down, &sideways),
                     5);
    assert_true(known < 1e-12 && known_field < 1e-12);
    assert_close(potential, cos(w / 2) / (2 * w * w));
    assert_close(across ? sideways : down, 1 / (2 * w));
    assert_true((across ? down : sideways) < 0.01 / (2 * w));
}

static void waves_have_their_potential_and_field(void **state)
{
    (void)state;
    check_wave(16, 16, 0);
    check_wave(64, 48, 0);
    check_wave(48, 64, 1);
    check_wave(31, 45, 1);
    check_wave(8, 300, 1);
}

/* Red where the potential is high, blue where it is low. */
static void the_picture_shows_the_potential(void **state)
{
    char path[128];
    png_image image = {.version = PNG_IMAGE_VERSION};
    unsigned char bytes[3 * 64 * 48];
    (void)state;
    write_wave("wave.png", 48, 64, 1);
    assert_int_equal(poisson("wave.png out.png"), 0);
    snprintf(path, sizeof path, "%s/out.png", folder);
    assert_true(png_image_begin_read_from_file(&image, path));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(PNG_IMAGE_SIZE(image), sizeof bytes);
    assert_true(png_image_finish_read(&image, NULL, bytes, 0, NULL));
    assert_true(bytes[0] > 200 && bytes[2] < 50);
    assert_true(bytes[3 * 63] < 50 && bytes[3 * 63 + 2] > 200);
}

static void refuse(int code, const char *arguments, const char *sentence)
{
    assert_int_equal(poisson(arguments), code);
    if (!strstr(said, sentence))
        fail_msg("'%s' is not in '%s'", sentence, said);
}

static void it_refuses_in_sentences(void **state)
{
    (void)state;
    write_wave("wave.png", 16, 16, 0);
    write_wave("small.png", 7, 16, 0);
    refuse(2, "wave.png", "usage: poisson");
    refuse(1, "none.png out.png", "poisson: none.png: ");
    refuse(1, "small.png out.png", "smaller than 8 x 8");
    refuse(1, "wave.png none/out.png", "poisson: none/out.png: ");
    refuse(1, "wave.png /dev/full", "poisson: /dev/full: ");
    setenv("SLUICE_UNITS", "nothing", 1);
    refuse(1, "wave.png out.png", "nothing");
    unsetenv("SLUICE_UNITS");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_have_their_potential_and_field),
        cmocka_unit_test(the_picture_shows_the_potential),
        cmocka_unit_test(it_refuses_in_sentences),
    };
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/poisson", getenv("SLUICE_BIN_DIR"));
    if (access(path, X_OK) != 0)
        return 77;
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
