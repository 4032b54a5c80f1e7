#include "tests/worker/folder_gang.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "runner/base/proc.h"
#include "runner/model/measurement/collective_note.h"

namespace sweepd {

FolderGang::FolderGang(const Context& context)
    : folder_(context.folder),
      rank_(context.rank),
      world_size_(context.world_size),
      note_(context.note) {
  note_(kRendezvousNote);
  barrier();
}

std::filesystem::path FolderGang::file(int rank) const {
  return folder_ / fmt::format("gang.{}.{}", operations_, rank);
}

// Judges by the rank's pid file. A zombie is gone too.
bool FolderGang::is_gone(int rank) const {
  const std::string text = read_small_file(folder_ / fmt::format("pid.{}", rank));
  if (text.empty()) return false;  // not started yet
  const auto stat = read_proc_stat(std::atoi(text.c_str()));
  return !stat || stat->state == 'Z' || stat->state == 'X';
}

double FolderGang::largest(double mine) {
  ++operations_;
  const CollectiveNote entered{"barrier", operations_, CollectiveNote::At::kEntered};
  note_(text_of(entered));
  // The file appears complete or not at all.
  const std::filesystem::path unfinished = file(rank_).string() + ".tmp";
  std::ofstream(unfinished) << fmt::format("{} .", mine);
  std::filesystem::rename(unfinished, file(rank_));
  for (int rank = 0; rank < world_size_; ++rank) {
    while (!std::filesystem::exists(file(rank))) {
      if (is_gone(rank) && !std::filesystem::exists(file(rank))) {
        throw std::runtime_error(fmt::format("{}: rank {} is gone", text_of(entered), rank));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    double theirs = mine;
    std::ifstream(file(rank)) >> theirs;
    mine = std::max(mine, theirs);
  }
  note_(text_of({"barrier", operations_, CollectiveNote::At::kLeft}));
  return mine;
}

}  // namespace sweepd
