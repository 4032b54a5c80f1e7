/* NVTX ranges of tests/inject/traced/traced.c. */
#ifndef SWEEPD_TESTS_INJECT_TRACED_RANGES_H
#define SWEEPD_TESTS_INJECT_TRACED_RANGES_H

/* Ranges with every kind of name that NVTX has, and some mistakes. */
void push_every_way(void);

#endif
