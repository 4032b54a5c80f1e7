/* For machines without the NVTX headers: the tests of ranges are left out there. */
#ifndef SWEEPD_TESTS_INJECT_NO_NVTX_H
#define SWEEPD_TESTS_INJECT_NO_NVTX_H

#include <stdint.h>

typedef uint64_t nvtxRangeId_t;
static inline void nvtxRangePushA(const char* name) {
  (void)name;
}
static inline void nvtxRangePop(void) {}
static inline void nvtxMarkA(const char* text) {
  (void)text;
}
static inline nvtxRangeId_t nvtxRangeStartA(const char* name) {
  (void)name;
  return 1;
}
static inline void nvtxRangeEnd(nvtxRangeId_t id) {
  (void)id;
}

#endif
