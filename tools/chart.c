// SPDX-License-Identifier: BSD-3-Clause
/* The picture of a spectrogram: title, colours, axes with ticks, and the scale of the colours. */
#include "tools/chart.h"

#include <math.h>
#include <stdio.h>

enum {
    LEFT = 76,
    RIGHT = 104,
    TOP = 34,
    BOTTOM = 40, /* margins */
    GAP = 6,
    UNIT_HEIGHT = TOP - GAP,
    TITLE_HEIGHT = PICTURE_TEXT_HEIGHT + 2 * GAP,
    TICK = 5,
    SCALE_GAP = 16,
    SCALE_WIDTH = 16, /* width of the colour scale right of the plot */
    MIN_WIDTH = 640,
    MIN_HEIGHT = 384
};

static const colour black = {0, 0, 0}, white = {255, 255, 255};

/* The colour map "inferno" (perceptually uniform; S. van der Walt, N. Smith) as the polynomials
 * fitted to it by M. Zucker; t from 0, black, to 1, pale yellow. */
static colour inferno_colour(double t)
{
    static const double fit[7][3] = {
        {0.0002189403691192265, 0.001651004631001012, -0.01948089843709184},
        {0.1065134194856116, 0.5639564367884091, 3.932712388889277},
        {11.60249308247187, -3.972853965665698, -15.9423941062914},
        {-41.70399613139459, 17.43639888205313, 44.35414519872813},
        {77.162935699427, -33.40235894210092, -81.80730925738993},
        {-71.31942824499214, 32.62606426397723, 73.20951985803202},
        {25.13112622477341, -12.24266895238567, -23.07032500287172},
    };
    unsigned char rgb[3];
    t = t > 0 ? fmin(t, 1) : 0; /* NaN becomes 0 */
    for (int k = 0; k < 3; k++) {
        double value = 0;
        for (int i = 6; i >= 0; i--)
            value = value * t + fit[i][k];
        rgb[k] = (unsigned char)lround(255 * fmin(fmax(value, 0), 1));
    }
    return (colour){rgb[0], rgb[1], rgb[2]};
}

/* A tick distance of 1, 2 or 5 times a power of ten with at most `ticks` ticks, and the decimals of
 * its multiples. */
static double round_step(double span, int ticks, int *decimals)
{
    double rough = span / ticks, power = pow(10, floor(log10(rough))), share = rough / power;
    double step = (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10) * power;
    *decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    return step;
}

static void draw_levels(const chart *c, picture *p, const chart_frame *f)
{
    for (int y = 0; y < f->height; y++) {
        size_t row = (size_t)(f->height - 1 - y) * c->rows / (size_t)f->height;
        for (int x = 0; x < f->width; x++) {
            size_t column = (size_t)x * c->columns / (size_t)f->width;
            double level = c->level[column * c->rows + row];
            colour dot = inferno_colour((level - c->top) / c->range + 1);
            p->pixels[(size_t)(f->y + y) * (size_t)p->width + (size_t)(f->x + x)] = dot;
        }
    }
}

static void draw_border(picture *p, const chart_frame *f)
{
    picture_fill(p, f->x - 1, f->y - 1, f->width + 2, 1, black);
    picture_fill(p, f->x - 1, f->y + f->height, f->width + 2, 1, black);
    picture_fill(p, f->x - 1, f->y - 1, 1, f->height + 2, black);
    picture_fill(p, f->x + f->width, f->y - 1, 1, f->height + 2, black);
}

static void draw_time(const chart *c, picture *p, const chart_frame *f)
{
    int decimals, below = f->y + f->height;
    double step = round_step(c->seconds, f->width / 90, &decimals);
    for (int i = 0; i * step <= c->seconds; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.*f", decimals, i * step);
        int x = f->x + (int)lround(i * step / c->seconds * (f->width - 1));
        picture_fill(p, x, below, 1, TICK, black);
        picture_text(p, x - picture_text_width(text) / 2, below + TICK + GAP, text, black);
    }
    picture_text(p, f->x + f->width + 2 * SCALE_GAP, below + TICK + GAP, "s", black);
}

/* Draws a tick on the frequency axis at `share` of its length. */
static void draw_hertz(picture *p, const chart_frame *f, double share, const char *text)
{
    int y = f->y + f->height - 1 - (int)lround(share * (f->height - 1));
    picture_fill(p, f->x - TICK, y, TICK, 1, black);
    picture_text(p, f->x - TICK - GAP - picture_text_width(text), y - PICTURE_TEXT_HEIGHT / 2, text,
                 black);
}

static void draw_linear(picture *p, const chart_frame *f, double top)
{
    int decimals;
    double step = round_step(top, f->height / 48, &decimals);
    for (int i = 0; i * step <= top; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.*f", decimals, i * step);
        draw_hertz(p, f, i * step / top, text);
    }
}

/* Ticks at 1, 2 and 5 times powers of ten. */
static void draw_logarithmic(picture *p, const chart_frame *f, double low, double top)
{
    static const double steps[] = {1, 2, 5};
    for (double power = pow(10, floor(log10(low))); power <= top; power *= 10) {
        for (int i = 0; i < 3; i++) {
            double value = steps[i] * power;
            char text[32];
            snprintf(text, sizeof text, "%.6g", value);
            if (value >= low && value <= top)
                draw_hertz(p, f, log(value / low) / log(top / low), text);
        }
    }
}

static void draw_frequency(const chart *c, picture *p, const chart_frame *f)
{
    bool kilo = c->hertz >= 2000;
    double unit = kilo ? 1000 : 1;
    if (c->lowest > 0)
        draw_logarithmic(p, f, c->lowest / unit, c->hertz / unit);
    else
        draw_linear(p, f, c->hertz / unit);
    picture_text(p, f->x, f->y - UNIT_HEIGHT, kilo ? "kHz" : "Hz", black);
}

static void draw_scale(const chart *c, picture *p, const chart_frame *f)
{
    chart_frame s = {f->x + f->width + SCALE_GAP, f->y, SCALE_WIDTH, f->height};
    for (int y = 0; y < s.height; y++)
        picture_fill(p, s.x, s.y + y, s.width, 1, inferno_colour(1 - (y + 0.5) / s.height));
    draw_border(p, &s);
    int decimals;
    double step = round_step(c->range, f->height / 48, &decimals);
    for (double level = floor(c->top / step) * step; level >= c->top - c->range; level -= step) {
        char text[32];
        snprintf(text, sizeof text, "%.0f", level + 0.0); /* + 0.0: no "-0" */
        int x = s.x + s.width + 1, y = s.y + (int)lround((c->top - level) / c->range * s.height);
        picture_fill(p, x, y, TICK, 1, black);
        picture_text(p, x + TICK + GAP, y - PICTURE_TEXT_HEIGHT / 2, text, black);
    }
    picture_text(p, s.x, s.y - UNIT_HEIGHT, "dB", black);
}

/* Centred above the plot; a title that is too long is cut off on the right. */
static void draw_title(const chart *c, picture *p)
{
    int free = p->width - picture_text_width(c->title);
    picture_text(p, free > 2 * GAP ? free / 2 : GAP, GAP, c->title, black);
}

/* Enlarges a small spectrogram by an integer factor, so that all frames have the same width. */
static int enlarge(size_t count, int min)
{
    return (int)count * ((int)count < min ? min / (int)count : 1);
}

bool chart_draw(const chart *c, picture *out, chart_frame *where)
{
    *where = (chart_frame){LEFT, TOP + (c->title ? TITLE_HEIGHT : 0),
                           enlarge(c->columns, MIN_WIDTH), enlarge(c->rows, MIN_HEIGHT)};
    if (!picture_new(out, LEFT + where->width + RIGHT, where->y + where->height + BOTTOM, white))
        return false;
    if (c->title)
        draw_title(c, out);
    draw_levels(c, out, where);
    draw_border(out, where);
    draw_time(c, out, where);
    draw_frequency(c, out, where);
    draw_scale(c, out, where);
    return true;
}
