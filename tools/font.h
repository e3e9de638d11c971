// SPDX-License-Identifier: BSD-3-Clause
/* The characters of ASCII in 5 by 7 dots. */
#ifndef TOOLS_FONT_H
#define TOOLS_FONT_H

enum { FONT_FIRST = ' ', FONT_LAST = '~', FONT_WIDTH = 5, FONT_HEIGHT = 7 };

/* Rows from the top; bit 4 is the leftmost dot. */
extern const unsigned char font_rows[FONT_LAST - FONT_FIRST + 1][FONT_HEIGHT];
/* The glyph of any other character. */
extern const unsigned char font_box[FONT_HEIGHT];

#endif
