#include "inject/find_cupti.h"

#include <dirent.h>
#include <link.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace sweepd::inject {
namespace {

constexpr char kName[] = "libcupti.so";

const char* file_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool is_cupti(const char* path) {
  const char* name = file_name(path);
  const std::size_t length = sizeof kName - 1;
  return std::strncmp(name, kName, length) == 0 && (name[length] == 0 || name[length] == '.');
}

// N of libcupti.so.N. The full names (libcupti.so.2025.1.1) are links' targets and count by their
// year in another order, so they have no version here.
int version_of(const char* path) {
  const char* name = file_name(path);
  if (std::strncmp(name, "libcupti.so.", sizeof kName) != 0) return 0;
  char* end = nullptr;
  const long version = std::strtol(name + sizeof kName, &end, 10);
  return end != name + sizeof kName && *end == 0 && version > 0 && version < 1000
             ? static_cast<int>(version)
             : 0;
}

bool set_path(Candidate& to, const char* folder, const char* name) {
  const int used =
      std::snprintf(to.path, sizeof to.path, "%s%s%s", folder, *folder ? "/" : "", name);
  to.version = version_of(to.path);
  return used > 0 && static_cast<std::size_t>(used) < sizeof to.path;
}

int note_loaded(dl_phdr_info* info, std::size_t, void* found) {
  if (info->dlpi_name == nullptr || !is_cupti(info->dlpi_name)) return 0;
  return set_path(*static_cast<Candidate*>(found), "", info->dlpi_name) ? 1 : 0;
}

struct Candidates {
  Candidate* all;
  std::size_t count, most;

  void add(const char* folder, const char* name) {
    Candidate next;
    if (count == most || !set_path(next, folder, name)) return;
    std::size_t at = count++;
    for (; at > 0 && all[at - 1].version < next.version; --at) all[at] = all[at - 1];
    all[at] = next;
  }

  void add_entry(const char* path) {
    DIR* folder = ::opendir(path);
    if (folder == nullptr) return add("", path);
    while (const dirent* entry = ::readdir(folder)) {
      if (version_of(entry->d_name) > 0) add(path, entry->d_name);
    }
    ::closedir(folder);
  }
};

}  // namespace

bool find_loaded_cupti(Candidate& found) {
  return ::dl_iterate_phdr(&note_loaded, &found) != 0;
}

std::size_t find_installed_cupti(const char* list, Candidate* found, std::size_t most) {
  Candidates all{found, 0, most};
  while (*list != 0) {
    const std::size_t length = std::strcspn(list, ":");
    char entry[sizeof Candidate::path];
    if (length > 0 && length < sizeof entry) {
      std::memcpy(entry, list, length);
      entry[length] = 0;
      all.add_entry(entry);
    }
    list += length + (list[length] == ':' ? 1 : 0);
  }
  return all.count;
}

}  // namespace sweepd::inject
