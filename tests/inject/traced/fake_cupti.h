/* What a traced program of the tests calls in fake_cupti.cpp. For C and C++. */
#ifndef SWEEPD_TESTS_INJECT_FAKE_CUPTI_H
#define SWEEPD_TESTS_INJECT_FAKE_CUPTI_H

#include <stdbool.h>
#include <stdint.h>

typedef struct FakeKernel {
  const char* name;
  uint64_t begin, end;
  uint32_t correlation, device, stream, graph, registers;
  int32_t grid[3], block[3], static_shared, dynamic_shared;
} FakeKernel;

typedef struct FakeMove {
  uint64_t bytes, begin, end;
  uint32_t correlation, device, stream, graph;
} FakeMove;

#ifdef __cplusplus
extern "C" {
#endif

/* The activities are enabled. */
bool fake_records(void);
uint32_t fake_thread_id_type(void);
void fake_drop(unsigned records);
/* Another client registers its callbacks. */
void fake_other_client(void);
/* Returns a buffer that came from another client. */
void fake_foreign_buffer(void);

void fake_kernel(const FakeKernel* kernel);
void fake_copy(uint8_t direction, const FakeMove* move);
void fake_fill(const FakeMove* move);
void fake_call(int of_runtime, uint32_t cbid, uint64_t begin, uint64_t end, uint32_t thread,
               uint32_t correlation);
void fake_external(uint32_t kind, uint64_t id, uint32_t correlation);
void fake_memory(uint32_t operation, uint32_t kind, uint64_t address, uint64_t bytes, uint64_t time,
                 uint32_t correlation);
void fake_device(uint32_t id, const char* name, uint64_t bytes, uint32_t multiprocessors);

#ifdef __cplusplus
}
#endif

#endif
