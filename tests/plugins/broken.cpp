// A plugin with one fault, which a macro chooses.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "workloads/api/plugin_abi.h"
#ifdef BROKEN_OLD_ABI
#undef SWEEPD_PLUGIN_ABI
#undef SWEEPD_PLUGIN_VERSION
#define SWEEPD_PLUGIN_ABI "0"
#define SWEEPD_PLUGIN_VERSION "0.0.9"
#endif
#ifndef BROKEN_NO_ENTRY
#include "workloads/api/plugin.h"

namespace sweepd {
void gone_since_then();  // no worker has it
}

namespace {

struct NoParams {
  void visit(auto&) {}
};

class Broken final : public sweepd::Workload {
 public:
  using Params = NoParams;
  static constexpr std::string_view kHelp = "does nothing";
  static sweepd::WorkPerStep work(const Params&, const sweepd::RunParams&) { return {}; }
  Broken(const Params&, sweepd::Context&) {
#ifdef BROKEN_SYMBOL
    sweepd::gone_since_then();
#endif
  }
  void step(sweepd::Phases&) override {}
};
#ifndef BROKEN_EMPTY
REGISTER_WORKLOAD("broken", Broken);
#endif
#ifdef BROKEN_TWO
class Other final : public sweepd::Workload {
 public:
  using Params = NoParams;
  static constexpr std::string_view kHelp = "does nothing either";
  static sweepd::WorkPerStep work(const Params&, const sweepd::RunParams&) { return {}; }
  Other(const Params&, sweepd::Context&) {}
  void step(sweepd::Phases&) override {}
};
REGISTER_WORKLOAD("other", Other);
#endif

}  // namespace
#endif

namespace {

struct AtLoading {
  AtLoading() {
#if defined(BROKEN_CRASH)
    std::fputs("no such table\n", stderr);
    std::abort();
#elif defined(BROKEN_ENDLESS)
    for (;;) ::pause();
#elif defined(BROKEN_CLOSED)
    for (const int fd : {0, 1, 2}) ::close(fd);
    for (;;) ::pause();
#elif defined(BROKEN_FORK)
    if (::fork() == 0) {
      for (;;) ::pause();
    }
#elif defined(BROKEN_EXIT)
    ::syscall(SYS_exit_group, 3);  // exit() of a library that loads has code 66 under TSan
#elif defined(BROKEN_TWO)
    std::puts("a library that greets");
#endif
  }
};
const AtLoading at_loading;

}  // namespace
