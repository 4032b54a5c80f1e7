// Files after a power loss: synced data, and any part of the rest that the disk already had, in any
// order and with half-written sectors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/db/faulty_vfs.h"

namespace sweepd {

// The surviving part of the changes that were not synced.
enum class Survivors {
  kNone,
  kAll,
  kFirst,  // the first ones; the last of them is torn
  kSome,   // any sectors of any of them, some of them torn
};
constexpr Survivors kSurvivors[] = {Survivors::kNone, Survivors::kAll, Survivors::kFirst,
                                    Survivors::kSome};

// The files of one folder. Changes to files of other folders are ignored.
class SimulatedDisk {
 public:
  // Begins with the files that are there, all of them synced.
  explicit SimulatedDisk(std::filesystem::path folder);

  void apply(const DiskChange& change);
  // The folder has another name from now on.
  void rename_to(std::filesystem::path folder) { folder_ = std::move(folder); }

  // Writes the files, as they would be found now, into the empty folder `into`.
  void lose_power(const std::filesystem::path& into, Survivors survivors,
                  std::mt19937_64& random) const;

 private:
  struct File {
    std::string synced;
    std::vector<DiskChange> pending;  // in their order
  };
  // The files of a name since its folder was synced, oldest first; null: none.
  using Name = std::vector<std::shared_ptr<File>>;

  static std::string content_of(const File& file, Survivors survivors, std::mt19937_64& random);

  std::filesystem::path folder_;
  std::map<std::string, Name> names_;  // without their folder
};

}  // namespace sweepd
