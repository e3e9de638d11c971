// SPDX-License-Identifier: BSD-3-Clause
/* The long texts of --help. */
#include "bench/bench_help.h"

const char bench_help_usage[] =
    "usage: sluice-bench PROBLEM... [options]\n"
    "       sluice-bench --suite NAME [options]\n"
    "       sluice-bench --from FILE.json [--json F] [--plot FOLDER | F.png]\n"
    "Times sluice and its peers, e.g. sluice-bench c2c:f32:1024*4096 --workers 1,2\n\n";

const char bench_help_environment[] =
    "In the environment, a file or a folder of libraries:\n"
    "  SLUICE_PEER_FFTW       another build of FFTW, for fftw-other\n"
    "  SLUICE_PEER_MKL, SLUICE_PEER_KFR, SLUICE_PEER_PFFFT, SLUICE_PEER_POCKETFFT\n"
    "  SLUICE_PEER_CLFFT, SLUICE_PEER_VKFFT, SLUICE_PEER_OPENCL, SLUICE_PEER_CUFFT,\n"
    "  SLUICE_PEER_CUDART\n"
    "                         where these are, if the loader does not find them\n";

const char bench_help_fields[] =
    "\nOne line for each problem, engine and worker count, with the fields\n"
    "  problem engine workers data effort plan_s median_s min_s max_s gflops gbytes_s bound_share\n"
    "  ratio_to bound peak_share\n"
    "  data         where the engine has its data while it is timed: host, or device: then calls\n"
    "               follow each other there, the last one is waited for, and what moves data lies\n"
    "               outside of the clock. Peers on devices have them there; only engines with "
    "data\n"
    "               in the same memory are compared\n"
    "  plan_s       seconds of planning\n"
    "  median_s     seconds per call, the median of the windows' medians; min_s, max_s of samples\n"
    "  gflops       5 N log2 N (r2c, c2r: 2.5 N log2 N) times the batch, over median_s\n"
    "  gbytes_s     bytes of input plus output, over median_s, in GB/s\n"
    "  bound_share  copy time over median_s: the copy moves the same bytes in the same arrays and\n"
    "               run, on up to as many threads (the faster of a plain copy and one with\n"
    "               non-temporal stores; in place, a sweep that rewrites every value; on a "
    "device\n"
    "               with memory of its own its driver's copy, and arithmetic is no bound)\n"
    "  ratio_to     of a peer: its median_s over sluice's at as many workers; above 1 sluice is\n"
    "               faster. Of sluice: the same against the best of the peers at up to as many\n"
    "  bound        what limits: arithmetic (5 N log2 N over measured FMAs of as many threads), "
    "or\n"
    "               the memory where the arrays lie: L1, L2, L3, DRAM. It is the longer of that\n"
    "               time and of the copy's\n"
    "  peak_share   the time of the bound over median_s\n"
    "JSON also has group, the part of a suite; judged, false for sizes so small that they tell\n"
    "what a call costs; plan_first_s, which is plan_s when there was no wisdom. A problem that is\n"
    "refused is a line with problem, result (REFUSED), why and, where its text was not\n"
    "understood, offset. A suite's JSON has other lines, too: machine, peer, limit, summary.\n"
    "Engines alternate in one process, on the same arrays. In pictures of Gflop/s a bar reaches\n"
    "from the slowest to the fastest sample; a colour is an engine, the darker the more workers.\n"
    "\nExit: 0 done, 1 a check failed, 2 wrong usage or refused problem, 3 device or I/O failure,\n"
    "130 interrupted. A suite goes on after a failure and answers with the largest of these.\n";
