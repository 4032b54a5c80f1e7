#include "tests/db/simulated_disk.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace sweepd {

namespace fs = std::filesystem;
using Kind = DiskChange::Kind;

namespace {

constexpr std::size_t kSector = 512;

std::size_t below(std::mt19937_64& random, std::size_t bound) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

// The bytes of the change from `begin` to `end`.
void put(std::string& content, const DiskChange& change, std::size_t begin, std::size_t end) {
  if (begin >= end) return;
  const auto at = static_cast<std::size_t>(change.offset) + begin;
  if (content.size() < at + (end - begin)) content.resize(at + (end - begin));  // a hole reads as 0
  content.replace(at, end - begin, change.bytes, begin, end - begin);
}

void carry_out(std::string& content, const DiskChange& change) {
  if (change.kind == Kind::kTruncate) {
    content.resize(static_cast<std::size_t>(change.offset));
  } else {
    put(content, change, 0, change.bytes.size());
  }
}

void carry_out_some(std::string& content, const DiskChange& change, std::mt19937_64& random) {
  if (change.kind == Kind::kTruncate) {
    if (below(random, 2) == 0) carry_out(content, change);
    return;
  }
  const auto offset = static_cast<std::size_t>(change.offset);
  for (std::size_t begin = 0; begin < change.bytes.size();) {
    // Sectors lie at multiples of their size in the file, not in the write.
    const std::size_t end =
        std::min(change.bytes.size(), begin + kSector - (offset + begin) % kSector);
    switch (below(random, 8)) {
      case 0:
        put(content, change, begin, begin + below(random, end - begin + 1));
        break;
      case 1:
      case 2:
      case 3:
        put(content, change, begin, end);
        break;
      default:
        break;
    }
    begin = end;
  }
}

}  // namespace

SimulatedDisk::SimulatedDisk(fs::path folder) : folder_(std::move(folder)) {
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (!entry.is_regular_file() || entry.path().string().ends_with("-shm")) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    auto file = std::make_shared<File>();
    file->synced.assign(std::istreambuf_iterator<char>(in), {});
    names_[entry.path().filename()] = {file};
  }
}

void SimulatedDisk::apply(const DiskChange& change) {
  const fs::path path = change.file;
  if (path.parent_path() != folder_) return;
  if (change.kind == Kind::kSyncFolder) {
    for (auto& [file, name] : names_) name = {name.back()};
    return;
  }
  Name& name = names_.try_emplace(path.filename(), Name{nullptr}).first->second;
  if (change.kind == Kind::kCreate) name.push_back(std::make_shared<File>());
  if (change.kind == Kind::kRemove) name.push_back(nullptr);
  if (!name.back()) return;
  File& file = *name.back();
  switch (change.kind) {
    case Kind::kWrite:
    case Kind::kTruncate:
      file.pending.push_back(change);
      break;
    case Kind::kSync:
      for (const DiskChange& pending : file.pending) carry_out(file.synced, pending);
      file.pending.clear();
      break;
    case Kind::kFailedSync:
      file.pending.clear();
      break;
    case Kind::kCreate:
    case Kind::kRemove:
    case Kind::kSyncFolder:
      break;
  }
}

std::string SimulatedDisk::content_of(const File& file, Survivors survivors,
                                      std::mt19937_64& random) {
  std::string content = file.synced;
  const auto& pending = file.pending;
  if (survivors == Survivors::kAll) {
    for (const DiskChange& change : pending) carry_out(content, change);
  } else if (survivors == Survivors::kSome) {
    for (const DiskChange& change : pending) carry_out_some(content, change, random);
  } else if (survivors == Survivors::kFirst && !pending.empty()) {
    const std::size_t last = below(random, pending.size());
    for (std::size_t i = 0; i < last; ++i) carry_out(content, pending[i]);
    put(content, pending[last], 0, below(random, pending[last].bytes.size() + 1));
  }
  return content;
}

void SimulatedDisk::lose_power(const fs::path& into, Survivors survivors,
                               std::mt19937_64& random) const {
  for (const auto& [file, name] : names_) {
    std::size_t which = 0;  // kNone: the name's last synced state
    if (survivors == Survivors::kAll) which = name.size() - 1;
    if (survivors == Survivors::kFirst || survivors == Survivors::kSome) {
      which = below(random, name.size());
    }
    if (!name[which]) continue;
    std::ofstream out(into / file, std::ios::binary);
    out << content_of(*name[which], survivors, random);
  }
}

}  // namespace sweepd
