// SPDX-License-Identifier: BSD-3-Clause
/* Scripts that tests run. */
#ifndef TESTS_HELPER_PYTHON_H
#define TESTS_HELPER_PYTHON_H

/* Skips the test where there is no Python 3.8 or later. */
void need_python(void);

#endif
