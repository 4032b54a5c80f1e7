// The one header of a workload in a shared library of its own, which `sweep-worker` loads:
//
//   #include "workloads/api/plugin.h"
//   struct SaxpyParams { ... };
//   class Saxpy final : public sweepd::Workload { ... };   // workloads/api/workload.h
//   REGISTER_WORKLOAD("saxpy", Saxpy);
//
// docs/PLUGINS.md has the rest. Link nothing of sweepd: the worker exports what these headers
// declare. A plugin that uses LibTorch includes it first, so that TORCH_VERSION is known
// (`sweepd_add_workload(name TORCH ...)` does that).
//
// A library built against one minor version (0.1) loads in all its patch versions (0.1.x). In these
// the headers that this file includes keep every declaration and the layout of every type. They may
// gain functions, types, and virtual functions at the end of the classes that only the worker
// implements: Device, Phases, Facts, Samples, Findings. A change beyond that raises
// SWEEPD_PLUGIN_ABI, and the worker refuses libraries of another number. tests/plugins/frozen has
// these headers as they were when the number last changed; a test builds against them.
#pragma once

#include "workloads/api/plugin_abi.h"
#include "workloads/api/range.h"
#include "workloads/api/self_timed.h"
#include "workloads/api/set_up_timer.h"
#include "workloads/api/tensor_name.h"
#include "workloads/api/workload.h"

#ifdef TORCH_VERSION
#define SWEEPD_PLUGIN_LIBTORCH TORCH_VERSION
#else
#define SWEEPD_PLUGIN_LIBTORCH ""
#endif

namespace sweepd::plugin {

// A workload of this library. Constructing one only links it, so that nothing of a library with
// another layout runs before the worker has compared the numbers.
struct Registration {
  using Add = void (*)(Registry&);
  inline explicit Registration(Add add_);
  Add add;
  Registration* next = nullptr;
};

// Hidden: two libraries in one process have a list each.
__attribute__((visibility("hidden"))) inline Registration* registrations = nullptr;

inline Registration::Registration(Add add_) : add(add_), next(registrations) {
  registrations = this;
}

}  // namespace sweepd::plugin

// Weak: every file of a library defines them, and the linker keeps one.
// NOLINTBEGIN(misc-definitions-in-headers,readability-identifier-naming)
extern "C" {

// Read from the file before it is loaded.
extern __attribute__((weak, visibility("default"))) const char sweepd_plugin_identity[];
const char sweepd_plugin_identity[] =
    "\nsweepd plugin\nabi " SWEEPD_PLUGIN_ABI "\nsweepd " SWEEPD_PLUGIN_VERSION
    "\ncompiler " SWEEPD_PLUGIN_COMPILER "\nlibtorch " SWEEPD_PLUGIN_LIBTORCH "\n";

// The entry point: adds the library's workloads.
__attribute__((weak, used, visibility("default"))) void sweepd_plugin_v1(
    sweepd::Registry& registry) {
  for (const auto* one = sweepd::plugin::registrations; one != nullptr; one = one->next) {
    one->add(registry);
  }
}

}  // extern "C"
// NOLINTEND(misc-definitions-in-headers,readability-identifier-naming)

#undef REGISTER_WORKLOAD
#define REGISTER_WORKLOAD(name, Class)                               \
  static ::sweepd::plugin::Registration sweepd_registration_##Class( \
      [](::sweepd::Registry& registry) { registry.add(::sweepd::detail::entry_of<Class>(name)); })
