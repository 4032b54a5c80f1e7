// Included before hopper.cu, takes one thing out of its kernels (SWEEPD_ABLATE), so that what is
// left shows what that thing costs. The results are wrong. Instructions are functions, so a macro
// behind their definitions is enough, and the kernels have no word of this.
#pragma once

#include <cmath>

#include "workloads/cuda/flash/device.cuh"
#include "workloads/cuda/flash/hopper.cuh"

#define SWEEPD_EXPONENTIALS 1  // a score instead of its exponential
#define SWEEPD_MAXIMA 2        // any score of a row instead of its largest
#define SWEEPD_TOKEN 3         // warpgroups of the forward no longer take turns
#define SWEEPD_DQ 4            // dq stays in shared memory

#if SWEEPD_ABLATE == SWEEPD_EXPONENTIALS
#define exp2_of(x) (x)
#undef INFINITY
#define INFINITY 1e4F  // masked scores stay finite; of NaN, tensor cores would take less power
#elif SWEEPD_ABLATE == SWEEPD_MAXIMA
#define fmaxf(a, b) (b)
#define max_of_quad(x) (x)
#elif SWEEPD_ABLATE == SWEEPD_TOKEN
#define sync_threads(id, threads) ((threads) == 256 ? void() : sync_threads(id, threads))
#define arrive_threads(id, threads) static_cast<void>(id)
#elif SWEEPD_ABLATE == SWEEPD_DQ
#define add_bulk(to, from, bytes) static_cast<void>(to)
#endif
