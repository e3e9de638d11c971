// SPDX-License-Identifier: BSD-3-Clause
/* For builds without the headers of OpenCL: units of this kind are refused. */
#include "backends/opencl/opencl_backend.h"
#include "core/status.h"

static sluice_status refuse(backend **out, const backend_config *config, sluice_diag *why)
{
    (void)config;
    *out = NULL;
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                     "this library was built without OpenCL, whose headers were not found");
}

static const backend_discover discover = {.open = refuse};
static const backend_team team;

const backend_table opencl_backend = {
    .name = "opencl", .kind = SLUICE_UNIT_OPENCL, .discover = &discover, .team = &team};
