// Tests the services of handlers.
#include "runner/daemon/serving/services.h"

#include <gtest/gtest.h>

#include "tests/sweepfile/catalog.h"

namespace sweepd {
namespace {

PoolConfig pool(std::string_view name, std::optional<SlurmPool> slurm, std::string runs) {
  PoolConfig pool;
  pool.name = name;
  pool.slurm = std::move(slurm);
  pool.runs = std::move(runs);
  return pool;
}

// Every pool that is not this machine has a folder for its attempts.
TEST(ReadServices, FindsAnAttemptInTheFolderOfItsPool) {
  const StateFolder state("/state");
  const Catalog catalog = test::catalog();
  ReaderPool readers(state.database(), catalog, 1, seconds(1));
  const ReadServices services{state,
                              state.database(),
                              catalog,
                              readers,
                              readers,
                              {pool(kLocalPool, {}, ""), pool("h200", SlurmPool(), "/shared/h200"),
                               pool("other", {}, "/shared/other")}};
  const AttemptId attempt{"a77e0a77e0a77e00"};
  const std::pair<std::string, std::filesystem::path> cases[] = {
      {"local", state.runs()},
      {"h200", "/shared/h200"},
      {"other", "/shared/other"},
      {"no longer configured", state.runs()},
  };
  for (const auto& [name, runs] : cases) {
    const auto folder = services.folder_of(name, attempt);
    ASSERT_TRUE(folder) << folder.error().message;
    EXPECT_EQ(folder->path(), AttemptFolder::of(runs, attempt)->path()) << name;
  }
}

}  // namespace
}  // namespace sweepd
