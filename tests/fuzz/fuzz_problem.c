// SPDX-License-Identifier: BSD-3-Clause
/* Problem strings: refused with a sentence, or written so that they read back as the same. */
#include <string.h>

#include "api/sluice.h"
#include "tests/fuzz/fuzz.h"

enum { LINE = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char line[LINE], again[LINE];
    char *text = fuzz_text(data, size);
    sluice_problem p, q;
    sluice_diag why = {0};

    if (sluice_problem_parse(&p, text, &why) == SLUICE_OK) {
        FUZZ_CHECK(sluice_problem_print(&p, line, sizeof line) == SLUICE_OK);
        FUZZ_CHECK(sluice_problem_parse(&q, line, NULL) == SLUICE_OK);
        FUZZ_CHECK(sluice_problem_print(&q, again, sizeof again) == SLUICE_OK);
        FUZZ_CHECK(strcmp(line, again) == 0);
    } else {
        fuzz_check_message(why.message);
        FUZZ_CHECK(why.offset <= strlen(text));
    }
    free(text);
    return 0;
}
