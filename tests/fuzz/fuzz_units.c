// SPDX-License-Identifier: BSD-3-Clause
/* Unit strings: a machine that names its units and plans, or a sentence. */
#include <string.h>

#include "api/sluice.h"
#include "tests/fuzz/fuzz.h"

/* Threads start with the first execution, which this does not reach. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const sluice_machine_options options = {.units = text};
    sluice_machine *m = NULL;
    sluice_unit_info unit;
    sluice_diag why = {0};

    setenv("SLUICE_TOPOLOGY", "pack:1 l2:4(size=1048576) core:1 pu:1", 0);
    setenv("SLUICE_UNITS", "ref", 1); /* what the empty string stands for */
    if (sluice_machine_open(&m, &options, &why) == SLUICE_OK) {
        const int units = sluice_machine_unit_count(m);
        FUZZ_CHECK(units >= 1);
        FUZZ_CHECK(sluice_machine_unit_info(m, units - 1, &unit) == SLUICE_OK);
        FUZZ_CHECK(sluice_machine_unit_info(m, units, &unit) == SLUICE_E_INVALID);
    } else {
        fuzz_check_message(why.message);
    }
    sluice_machine_close(m);
    free(text);
    return 0;
}
