#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "workloads/api/code.h"
#include "workloads/api/workload.h"

namespace sweepd {

Registry& Registry::instance() {
  static Registry registry;
  return registry;
}

void Registry::add(WorkloadEntry entry) {
  if (find(entry.def.name) != nullptr) {
    std::fprintf(stderr, "two workloads are registered as `%s`\n", entry.def.name.c_str());
    std::abort();
  }
  if (!entry.def.computed_param()) entry.def.code = code_of_workload(entry.def.name);
  entries_.push_back(std::move(entry));
}

const WorkloadEntry* Registry::find(std::string_view name) const {
  for (const WorkloadEntry& entry : entries_) {
    if (entry.def.name == name) return &entry;
  }
  return nullptr;
}

Catalog Registry::catalog() const {
  Catalog catalog;
  for (const WorkloadEntry& entry : entries_) catalog.workloads.push_back(entry.def);
  std::sort(catalog.workloads.begin(), catalog.workloads.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return catalog;
}

}  // namespace sweepd
