// The worker of tests: sweep-worker without the plugins that it is shipped with.
#include "runner/worker/plugins/plugin_workload.h"
#include "runner/worker/worker_main.h"

int main(int argc, char** argv) {
  using namespace sweepd;
  Registry::instance().add(plugin_entry());
  return worker_main(argc, argv, {Registry::instance(), make_device});
}
