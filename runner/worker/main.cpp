#include "runner/worker/worker_main.h"

int main(int argc, char** argv) {
  return sweepd::worker_main(argc, argv, {sweepd::Registry::instance(), sweepd::make_device});
}
