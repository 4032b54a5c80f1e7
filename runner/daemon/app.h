// The composition root: builds every part once, in the order of their dependencies, and runs the
// event loop until it is stopped.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "runner/base/result.h"
#include "runner/daemon/planning/config_files.h"
#include "runner/exec/executor.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

struct AppOptions {
  StateFolder state;
  std::filesystem::path worker;  // the sweep-worker program
  Prefork prefork = Prefork::kYes;
  ConfigPlaces config{};
  std::filesystem::path program{};  // whose replacement ends it (program_watch.h); "": none
};

class App {
 public:
  static Result<std::unique_ptr<App>> create(const AppOptions& options);
  ~App();

  // Calls `ready` once clients can connect. Returns when the daemon has stopped.
  Result<void> run(const std::function<void()>& ready);

 private:
  struct Parts;
  explicit App(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sweepd
