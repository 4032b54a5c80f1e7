// The workloads that are plugins, for all tests of this program: as sweep-worker loads them.
#include "runner/worker/plugins/load.h"

namespace sweepd {
namespace {

[[maybe_unused]] const bool kLoaded = (add_shipped_workloads(Registry::instance()), true);

}  // namespace
}  // namespace sweepd
