#include "tests/workloads/ranks.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <thread>

#include "tests/worker/temp_folder.h"

namespace sweepd {
namespace {

// Torch's flight recorder keeps one table of process groups for the whole process and adds to it
// without a lock (FlightRecorder::recordWithResetEnabled). Ranks that are processes never share it.
// Ranks that are threads corrupt it, and then every operation crashes or searches for ever. It is
// set before main(), because the recorder reads it once, at the first operation.
const int recorder_off = setenv("TORCH_FR_BUFFER_SIZE", "0", 1);

}  // namespace

std::vector<RankResult> run_ranks(int world_size, const std::function<void(Context&)>& body,
                                  const RunParams& run) {
  const TempFolder folder;
  const auto device = make_device({});
  std::vector<RankResult> results(static_cast<std::size_t>(world_size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < world_size; ++rank) {
    threads.emplace_back([&, rank] {
      RankResult& result = results[static_cast<std::size_t>(rank)];
      at::set_num_threads(1);
      Context context{*device, Pass::kTiming, rank, world_size, 1, run, folder.path()};
      context.run.world_size = world_size;
      context.setup = &result.setup;
      context.note = [&result](std::string_view note) { result.notes.emplace_back(note); };
      try {
        body(context);
      } catch (const std::exception& error) {
        result.error = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

void expect_ranks(int world_size, const std::function<void(Context&)>& body, const RunParams& run) {
  const auto results = run_ranks(world_size, body, run);
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    EXPECT_EQ(results[rank].error, "") << "rank " << rank << " of " << world_size;
  }
}

}  // namespace sweepd
