// SPDX-License-Identifier: BSD-3-Clause
/* The command `sluice`, run as its users run it: through a shell, in a directory of its own. */
#define _XOPEN_SOURCE 700
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#if __has_include(<png.h>)
#include <png.h>
#define HAVE_PNG 1
#else
#define HAVE_PNG 0
#endif

enum { SKIPPED = 77, LINE = 4096 };

static char binary[LINE]; /* absolute: the tests run in a directory of their own */

/* Runs a shell line in which $S is the command; stdout goes to `out`, stderr to `err`. Returns the
 * exit code; a death by a signal reads as 128 and more. */
static int shell(const char *line)
{
    char all[2 * LINE + 64];
    snprintf(all, sizeof all, "S='%s'; { %s\n} >out 2>err", binary, line);
    int status = system(all);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A whole file with a 0 behind it; NULL: it is not there. To be freed. */
static char *slurp(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, size, f), size);
    fclose(f);
    text[size] = 0;
    if (length)
        *length = size;
    return text;
}

static void spill(const char *path, const void *bytes, size_t length)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, length, f), length);
    fclose(f);
}

static bool says(const char *path, const char *words)
{
    char *text = slurp(path, NULL);
    bool found = text && strstr(text, words);
    if (!found)
        print_message("%s lacks \"%s\":\n%s\n", path, words, text ? text : "(no file)");
    free(text);
    return found;
}

/* Every failure is told in a sentence that begins with the command's name. */
static void check_exit(const char *line, int code)
{
    int got = shell(line);
    if (got != code) {
        char *err = slurp("err", NULL);
        print_message("%s\nexit code %d, not %d\n%s\n", line, got, code, err);
        free(err);
    }
    assert_int_equal(got, code);
    if (code)
        assert_true(says("err", "sluice: "));
}

/* Nothing beside the names that the test made itself. */
static void check_no_leftovers(const char *path)
{
    char line[LINE];
    snprintf(line, sizeof line, "! ls %s* 2>/dev/null", path);
    assert_int_equal(shell(line), 0);
}

/* ---------------------------------------------------------------- usage ----------------- */

static void usage(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "$S",
        "$S nonsense",
        "$S --nonsense",
        "$S info extra",
        "$S info --nonsense",
        "$S explain",
        "$S explain c2c:f32:8 --level nonsense",
        "$S explain c2c:f32:8 --effort x",
        "$S explain c2c:f32:8 --formula F",
        "$S explain c2c:f32:8 --precision f64",
        "$S verify",
        "$S verify c2c:f32:8 --units",
        "$S verify c2c:f32:8 --json=yes",
        "$S run",
        "$S run c2c:f32:8 c2c:f32:16",
        "$S spectrogram in.wav",
        "$S spectrogram in.wav out.png --window square",
        "$S spectrogram in.wav out.png --hop 0",
        "$S --units nonsense verify c2c:f32:8",
        "$S verify c2c:f99:8",
        "$S run c2c:f32:64@2",
        "$S tune",
        "$S tune c2c:f32:8",
        "$S tune --codelets c2c:f32:8",
        "$S tune --wisdom",
        "$S tune --wisdom w --effort estimate c2c:f32:8",
        "$S --units ref tune --codelets",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        check_exit(wrong[i], 2);
}

static void help(void **state)
{
    (void)state;
    static const char *const right[] = {
        "$S --help",         "$S help",      "$S --version",  "$S info --help",
        "$S explain --help", "$S verify -h", "$S run --help", "$S spectrogram --help",
        "$S tune --help",
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        check_exit(right[i], 0);
        assert_true(says("out", "sluice"));
    }
}

/* The caret stands below the byte that was not understood. */
static void caret(void **state)
{
    (void)state;
    check_exit("$S explain c2c:f99:8", 2);
    char *err = slurp("err", NULL);
    char *text = strstr(err, "\n  c2c:f99:8\n");
    assert_non_null(text);
    text += strlen("\n  c2c:f99:8\n");
    assert_in_range(strcspn(text, "^"), 2 + 4, 2 + 6);
    free(err);
}

static void full_stdout(void **state)
{
    (void)state;
    check_exit("$S --help >/dev/full", 3);
    check_exit("$S explain c2c:f32:64 >/dev/full", 3);
    check_exit("$S verify c2c:f32:64 >/dev/full", 3);
}

/* ---------------------------------------------------------------- info, verify ---------- */

static void info(void **state)
{
    (void)state;
    check_exit("$S info --units cpu:1", 0);
    assert_true(says("out", " local_store="));
    assert_true(says("out", "copy threads=1 gbytes_s="));
    check_exit("$S --units cpu:1 info --json", 0);
    assert_true(says("out", "{\"unit\":\""));
    assert_true(says("out", "\"gbytes_s\":"));
}

static void verify(void **state)
{
    (void)state;
    check_exit("$S verify c2c:f32:64 c2c:f64:12*5", 0);
    assert_true(says("out", "c2c:f32:64 error="));
    assert_true(says("out", "c2c:f64:12*5 error="));
    assert_true(says("out", " PASS\n"));
    assert_true(says("err", "2 passed, 0 failed, 0 refused"));
    check_exit("printf '# two\\n c2c:f32:16\\n\\nc2c:f64:16\\n' | $S verify - --json", 0);
    assert_true(says("out", "{\"problem\":\"c2c:f32:16\",\"error\":"));
    assert_true(says("out", "\"result\":\"PASS\"}"));
    assert_true(says("err", "2 passed, 0 failed, 0 refused"));
    check_exit("$S verify c2c:f32:16 nonsense", 2);
    assert_true(says("err", "1 passed, 0 failed, 1 refused"));
}

/* ---------------------------------------------------------------- explain --------------- */

static void explain_levels(void **state)
{
    (void)state;
    static const char *const levels[] = {"formula", "sigma", "program", "placement", "json"};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        char line[LINE];
        snprintf(line, sizeof line, "$S explain 'c2c:f32:1024*16' --level %s && test -s out",
                 levels[i]);
        check_exit(line, 0);
    }
}

/* What --level formula prints beside comments plans to itself. */
static void explain_again(void **state)
{
    (void)state;
    static const char *const problems[] = {"c2c:f32:64", "c2c:f64:1024*16", "c2c:f32:4096:latency"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        char line[LINE];
        snprintf(line, sizeof line,
                 "$S explain '%s' | grep -v '^#' >first && test $(wc -l <first) -eq 1 && "
                 "$S explain --formula \"$(cat first)\" | grep -v '^#' >second && "
                 "cmp first second >&2",
                 problems[i]);
        check_exit(line, 0);
    }
}

/* ---------------------------------------------------------------- tune ------------------ */

/* Codelets are measured once; a problem that the file holds is planned by it, here and elsewhere. */
static void tune(void **state)
{
    (void)state;
    check_exit("$S -u cpu:1 tune c2c:f32:64 c2c:f64:100*3 --effort measure --wisdom w", 0);
    assert_true(says("out", "c2c:f32:64 plan_s="));
    assert_true(says("out", "_{leaf}"));
    assert_true(says("w", "sluice-wisdom 2 "));
    assert_true(says("w", "\ncodelet dft2_"));
    assert_true(says("w", "\nc2c:f64:100*3 := "));
    check_no_leftovers("w.");
    check_exit("cp w first && $S -u cpu:1 tune c2c:f32:64 --wisdom w --json && cmp w first >&2", 0);
    assert_true(says("out", "{\"problem\":\"c2c:f32:64\",\"plan_s\":"));
    check_exit("$S -u cpu:1 tune nonsense c2c:f32:32 --wisdom w", 2); /* the other one is kept */
    assert_true(says("w", "\nc2c:f32:32 := "));
    check_exit("$S -u cpu:1 tune --codelets --json | tail -n 1 >last; mv last out", 0);
    assert_true(says("out", "{\"codelet\":\"dft"));
    assert_true(says("out", "\"predicted\":"));
    assert_true(says("out", "\"measured\":"));
}

static void wisdom_for_every_command(void **state)
{
    (void)state;
    check_exit("$S -u cpu:1 tune --wisdom odd && sed -i '2,$d' odd && echo 'c2c:f32:64 := "
               "(DFT(2)_{leaf} (x) I(32)) * T(2,32) * (I(2) (x) DFT(32)_{leaf}) * L(64,2)' >>odd",
               0);
    check_exit("$S -u cpu:1 explain c2c:f32:64 --wisdom odd", 0);
    assert_true(says("out", "(DFT(2)_{leaf} (x) I(32))"));
    assert_true(says("err", "sluice: odd: 1 formula will be checked on first use"));
    check_exit("$S -u cpu:1 --wisdom odd verify c2c:f32:64", 0);
    check_exit("echo nonsense >>odd && $S -u cpu:1 explain c2c:f32:64 --wisdom=odd", 0);
    assert_true(says("err", "sluice: odd: 1 lines rejected, line 3 first"));
    check_exit("$S -u cpu:2 explain c2c:f32:64 --wisdom odd", 0); /* whatever the units count */
    assert_true(says("out", "(DFT(2)_{leaf} (x) I(32))"));
    check_exit("$S -u ref explain c2c:f32:64 --wisdom odd", 2);
    assert_true(says("err", "wisdom of other units"));
    check_exit("$S explain c2c:f32:64 --wisdom missing", 3);
    assert_true(says("err", "missing: No such file"));
    check_exit("$S -u cpu:1 tune --wisdom nowhere/w", 3);
    assert_true(says("err", "cannot write nowhere/w: No such file"));
}

/* ---------------------------------------------------------------- run ------------------- */

enum { POINTS = 64, COUNT = 2603 }; /* a prime: whatever the blocks are, the last one is short */

static float *random_samples(size_t floats)
{
    float *x = malloc(floats * sizeof *x);
    assert_non_null(x);
    uint32_t seed = 12345;
    for (size_t i = 0; i < floats; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / (float)(1 << 23) - 1;
    }
    return x;
}

static void make_input(void)
{
    float *x = random_samples(2 * POINTS * COUNT);
    spill("in.raw", x, 2 * POINTS * COUNT * sizeof *x);
    free(x);
}

/* Relative error of one transform by the definition. */
static double error_of(const float *x, const float *y)
{
    double difference = 0, size = 0;
    for (int k = 0; k < POINTS; k++) {
        double re = 0, im = 0;
        for (int j = 0; j < POINTS; j++) {
            double angle = -2 * acos(-1) * (j * k % POINTS) / POINTS;
            double c = cos(angle), s = sin(angle), a = (double)x[2 * j], b = (double)x[2 * j + 1];
            re += a * c - b * s;
            im += a * s + b * c;
        }
        difference += pow(re - (double)y[2 * k], 2) + pow(im - (double)y[2 * k + 1], 2);
        size += re * re + im * im;
    }
    return sqrt(difference / size);
}

static void run_is_right(void **state)
{
    (void)state;
    make_input();
    check_exit("$S run c2c:f32:64 -i in.raw -o out.raw", 0);
    size_t n, m;
    char *in = slurp("in.raw", &n), *out = slurp("out.raw", &m);
    assert_int_equal(n, m);
    for (size_t i = 0; i < COUNT; i++) {
        size_t at = i * 2 * POINTS * sizeof(float);
        assert_true(error_of((const float *)(in + at), (const float *)(out + at)) < 1e-6);
    }
    free(in);
    free(out);
}

/* Files, pipes that bring a few bytes at a time, one worker or all: the same bits. */
static void run_same_bits(void **state)
{
    (void)state;
    make_input();
    check_exit("$S run c2c:f32:64 -i in.raw -o out.raw", 0);
    check_exit("cat in.raw | $S run c2c:f32:64 | cat >piped.raw && cmp out.raw piped.raw >&2", 0);
    check_exit("dd if=in.raw bs=1000 2>/dev/null | $S run c2c:f32:64 -i - -o - >piped.raw && "
               "cmp out.raw piped.raw >&2",
               0);
    check_exit("$S --units cpu:1 run c2c:f32:64 <in.raw >piped.raw && cmp out.raw piped.raw >&2",
               0);
    check_exit("$S run c2c:f32:64:inplace -i in.raw -o in_place.raw", 0);
    check_exit("cp in.raw self.raw && $S run c2c:f32:64 -i self.raw -o self.raw && "
               "cmp out.raw self.raw >&2",
               0);
    check_exit(": >none.raw; $S run c2c:f32:64 -i none.raw -o zero.raw && test -e zero.raw && "
               "test ! -s zero.raw",
               0);
}

/* Split there and back is the identity but for the rounding; the halves lie as documented. */
static void run_split(void **state)
{
    (void)state;
    make_input();
    check_exit("$S run c2c:f32:64 -i in.raw -o out.raw", 0);
    check_exit("$S run c2c:f32:64:out=split -i in.raw -o split.raw", 0);
    check_exit("$S run c2c:f32:64:inverse:in=split -i split.raw -o back.raw", 0);
    size_t n, m, k;
    float *in = (float *)slurp("in.raw", &n), *out = (float *)slurp("out.raw", &m);
    float *split = (float *)slurp("split.raw", &k);
    assert_int_equal(m, k);
    for (size_t i = 0; i < COUNT * POINTS; i++) {
        size_t at = i / POINTS * 2 * POINTS + i % POINTS;
        assert_true(fabsf(out[2 * i] - split[at]) < 1e-4f);
        assert_true(fabsf(out[2 * i + 1] - split[at + POINTS]) < 1e-4f);
    }
    float *back = (float *)slurp("back.raw", &k);
    assert_int_equal(n, k);
    for (size_t i = 0; i < n / sizeof *in; i++)
        assert_true(fabsf(back[i] - POINTS * in[i]) < 1e-3f);
    free(in);
    free(out);
    free(split);
    free(back);
}

static void run_failures(void **state)
{
    (void)state;
    make_input();
    check_exit("rm -f bad*; { cat in.raw; printf tail; } >trail.raw; "
               "$S run c2c:f32:64 -i trail.raw -o bad.raw",
               3);
    assert_true(says("err", "the last 4 of "));
    check_no_leftovers("bad");
    check_exit("cat trail.raw | $S run c2c:f32:64 -o bad.raw", 3);
    assert_true(says("err", "the last 4 of "));
    check_no_leftovers("bad");
    check_exit("$S run c2c:f32:64 -i missing.raw -o bad.raw", 3);
    assert_true(says("err", "missing.raw: No such file"));
    check_no_leftovers("bad");
    check_exit("$S run c2c:f32:64 -i . -o bad.raw", 3);
    check_no_leftovers("bad");
    check_exit("$S run c2c:f32:64 -i in.raw -o nowhere/bad.raw", 3);
    check_exit("$S run c2c:f32:64 -i in.raw -o /dev/full", 3);
    assert_true(says("err", "No space left"));
    check_exit("$S run c2c:f32:64 -i in.raw >/dev/full", 3);
}

/* A failure leaves what was there before. */
static void run_keeps_old_output(void **state)
{
    (void)state;
    make_input();
    check_exit("echo old >kept.raw; { cat in.raw; printf tail; } | $S run c2c:f32:64 -o kept.raw",
               3);
    assert_true(says("kept.raw", "old"));
}

/* Killed while it waits for input, the command takes its unfinished file with it. */
static void run_killed(void **state)
{
    (void)state;
    make_input();
    int code = shell("rm -f bad*; { cat in.raw; exec sleep 2; } | $S run c2c:f32:64 -o bad.raw &\n"
                     "until ls bad.raw.*; do sleep 0.05; done; kill -TERM $!; wait $!");
    assert_int_equal(code, 128 + 15);
    check_no_leftovers("bad");
}

static void run_closed_pipe(void **state)
{
    (void)state;
    make_input();
    int code = shell("{ $S run c2c:f32:64 -i in.raw; echo $? >code; } | head -c 10 >/dev/null");
    assert_int_equal(code, 0);
    assert_true(says("code", "3\n"));
    assert_true(says("err", "Broken pipe"));
}

/* ---------------------------------------------------------------- spectrogram ----------- */

static void put_little(unsigned char *to, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

/* A 16 bit WAV of one channel that promises `promised` samples and holds `held`. */
static void make_wav(const char *path, int rate, double hertz, size_t promised, size_t held)
{
    unsigned char *file = calloc(1, 44 + 2 * held + 1);
    assert_non_null(file);
    memcpy(file, "RIFF----WAVEfmt ", 16);
    put_little(file + 4, (uint32_t)(36 + 2 * promised), 4);
    put_little(file + 16, 16, 4);
    put_little(file + 20, 1, 2);
    put_little(file + 22, 1, 2);
    put_little(file + 24, (uint32_t)rate, 4);
    put_little(file + 28, (uint32_t)(2 * rate), 4);
    put_little(file + 32, 2, 2);
    put_little(file + 34, 16, 2);
    memcpy(file + 36, "data", 4);
    put_little(file + 40, (uint32_t)(2 * promised), 4);
    for (size_t i = 0; i < held; i++) {
        double value = 20000 * sin(2 * acos(-1) * hertz * (double)i / rate);
        put_little(file + 44 + 2 * i, (uint32_t)(int32_t)lround(value) & 0xffffu, 2);
    }
    spill(path, file, 44 + 2 * held);
    free(file);
}

static void spectrogram_failures(void **state)
{
    (void)state;
    make_wav("short.wav", 8000, 1000, 8000, 4000);
    make_wav("mute.wav", 8000, 1000, 0, 0);
    make_wav("good.wav", 8000, 1000, 8000, 8000);
    static const char *const bad[][2] = {
        {"$S spectrogram missing.wav bad.png", "No such file"},
        {"$S spectrogram short.wav bad.png", "truncated"},
        {"$S spectrogram mute.wav bad.png", "no samples"},
        {": >empty.wav; $S spectrogram empty.wav bad.png", "empty"},
        {"echo hello world >text.wav; $S spectrogram text.wav bad.png", "no recording"},
        {"head -c 30 good.wav >head.wav; $S spectrogram head.wav bad.png", "head.wav"},
        {"$S spectrogram . bad.png", "not a regular file"},
        {"$S spectrogram good.wav nowhere/bad.png", "No such file"},
        {"$S spectrogram good.wav /dev/full", "No space left"},
    };
    assert_int_equal(shell("rm -f bad*"), 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_exit(bad[i][0], 3);
        assert_true(says("err", bad[i][1]));
        check_no_leftovers("bad");
    }
    check_exit("$S spectrogram good.wav bad.png --channel 2", 2);
    check_no_leftovers("bad");
}

#if HAVE_PNG
/* A picture read through libpng, which the tests are not linked with. */
static unsigned char *read_png(const char *path, png_image *image)
{
    void *library = dlopen("libpng16.so.16", RTLD_NOW);
    if (!library)
        return NULL;
    int (*begin)(png_image *, const char *);
    int (*finish)(png_image *, const png_color *, void *, png_int_32, void *);
    *(void **)&begin = dlsym(library, "png_image_begin_read_from_file");
    *(void **)&finish = dlsym(library, "png_image_finish_read");
    assert_true(begin && finish);
    *image = (png_image){.version = PNG_IMAGE_VERSION};
    assert_true(begin(image, path));
    image->format = PNG_FORMAT_RGB;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(*image));
    assert_non_null(pixels);
    assert_true(finish(image, NULL, pixels, 0, NULL));
    return pixels;
}

static int field(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    assert_non_null(at);
    return atoi(at + strlen(name));
}

/* The height of the brightest row over the bottom of the plot, as a share of the plot's height. */
static double brightest(const unsigned char *pixels, const png_image *image, const char *record)
{
    int x = field(record, " plot_x="), width = field(record, " plot_width=");
    int y = field(record, " plot_y="), height = field(record, " plot_height=");
    long best = -1;
    int row = 0;
    assert_true(x + width <= (int)image->width && y + height <= (int)image->height);
    for (int v = 0; v < height; v++) {
        long sum = 0;
        for (int u = 0; u < 3 * width; u++)
            sum += pixels[3 * ((size_t)(y + v) * image->width + (size_t)x) + (size_t)u];
        if (sum > best) {
            best = sum;
            row = v;
        }
    }
    return 1 - (row + 0.5) / height;
}
#endif

static void spectrogram_of_sine(void **state)
{
    (void)state;
#if HAVE_PNG
    static const char *const ways[] = {"", "--size 256 --hop 64 --window hamming",
                                       "--size 4096 --hop 1000 --window blackman",
                                       "--size 128 --hop 500 --window rect --channel 1"};
    make_wav("sine.wav", 8000, 1000, 16000, 16000);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char line[LINE];
        snprintf(line, sizeof line, "$S spectrogram sine.wav sine.png %s", ways[i]);
        check_exit(line, 0);
        png_image image;
        unsigned char *pixels = read_png("sine.png", &image);
        if (!pixels)
            skip();
        char *record = slurp("out", NULL);
        assert_true(fabs(brightest(pixels, &image, record) - 0.25) < 0.02); /* 1000 of 4000 Hz */
        free(record);
        free(pixels);
    }
#else
    skip();
#endif
}

/* ---------------------------------------------------------------- main ------------------ */

static bool find_binary(void)
{
    const char *folder = getenv("SLUICE_BIN_DIR");
    char path[LINE], *absolute;
    if (!folder || snprintf(path, sizeof path, "%s/sluice", folder) >= (int)sizeof path)
        return false;
    absolute = realpath(path, NULL);
    bool found = absolute && access(absolute, X_OK) == 0;
    if (found)
        snprintf(binary, sizeof binary, "%s", absolute);
    free(absolute);
    return found;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage),
        cmocka_unit_test(help),
        cmocka_unit_test(caret),
        cmocka_unit_test(full_stdout),
        cmocka_unit_test(info),
        cmocka_unit_test(verify),
        cmocka_unit_test(explain_levels),
        cmocka_unit_test(explain_again),
        cmocka_unit_test(tune),
        cmocka_unit_test(wisdom_for_every_command),
        cmocka_unit_test(run_is_right),
        cmocka_unit_test(run_same_bits),
        cmocka_unit_test(run_split),
        cmocka_unit_test(run_failures),
        cmocka_unit_test(run_keeps_old_output),
        cmocka_unit_test(run_killed),
        cmocka_unit_test(run_closed_pipe),
        cmocka_unit_test(spectrogram_failures),
        cmocka_unit_test(spectrogram_of_sine),
    };
    if (!find_binary()) {
        fputs("skipped: there is no $SLUICE_BIN_DIR/sluice\n", stderr);
        return SKIPPED;
    }
    char folder[] = "/tmp/sluice-tool-XXXXXX", *work = mkdtemp(folder);
    if (!work || chdir(work) != 0) {
        perror("mkdtemp");
        return 1;
    }
    int failed = cmocka_run_group_tests_name("tool", tests, NULL, NULL);
    char line[64];
    snprintf(line, sizeof line, "cd / && rm -rf '%s'", work);
    return system(line) != 0 || failed;
}
