// at::parallel_for for our own code, with any compiler.
//
// ATen's is a template that runs on one thread unless its caller is compiled with OpenMP. Clang's
// OpenMP needs a run time of Clang's, whose threads would compete with torch's. This one calls
// torch's run time, libgomp, as code that GCC compiles with -fopenmp does.
#pragma once

#include <ATen/Parallel.h>
#include <c10/util/ParallelGuard.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>

// NOLINTBEGIN(readability-identifier-naming): libgomp's own names
extern "C" {
void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags);
int omp_get_num_threads();
int omp_get_thread_num();
}
// NOLINTEND(readability-identifier-naming)

namespace sweepd {

// Calls f(first, last) for parts of [begin, end) on torch's threads at the same time and returns
// when all are done. A part has at least `grain` elements, but for the last one. Inside another
// parallel_for, and with one thread, it is one call. Rethrows an exception of one of the calls.
template <class F>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, const F& f) {
  struct Job {
    std::int64_t begin, end, grain;
    const F& f;
    std::atomic_flag failed = {};
    std::exception_ptr failure = nullptr;

    void run(int thread, std::int64_t first, std::int64_t last) {
      try {
        const at::internal::ThreadIdGuard id(thread);
        const c10::ParallelGuard inside(true);
        f(first, last);
      } catch (...) {
        if (!failed.test_and_set()) failure = std::current_exception();
      }
    }

    static void on_each_thread(void* data) {
      Job& job = *static_cast<Job*>(data);
      const std::int64_t count = job.end - job.begin;
      std::int64_t threads = omp_get_num_threads();
      if (job.grain > 0) threads = std::min(threads, (count + job.grain - 1) / job.grain);
      const std::int64_t part = (count + threads - 1) / threads;
      const int thread = omp_get_thread_num();
      const std::int64_t first = job.begin + thread * part;
      if (first < job.end) job.run(thread, first, std::min(job.end, first + part));
    }
  };

  if (begin >= end) return;
  at::internal::lazy_init_num_threads();
  Job job{begin, end, grain, f};
  const std::int64_t count = end - begin;
  if (count > grain && count > 1 && !at::in_parallel_region() && at::get_num_threads() > 1) {
    GOMP_parallel(&Job::on_each_thread, &job, 0, 0);
  } else {
    job.run(0, begin, end);
  }
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace sweepd
