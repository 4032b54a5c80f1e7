// Copies a status page (status.h) from this host's memory into an attempt's folder that several
// hosts share. A page that is mapped from a network file system would be written back whenever the
// kernel chooses, and a store inside a timed step could wait for that.
#pragma once

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "runner/base/units.h"

namespace sweepd {

class StatusMirror {
 public:
  // Copies what has changed every `interval`, on its own thread, and at the end. The copy is
  // replaced by rename. A copy that fails is tried again with the next one.
  StatusMirror(std::filesystem::path page, std::filesystem::path copy,
               Duration interval = seconds(1));
  ~StatusMirror();
  StatusMirror(const StatusMirror&) = delete;
  StatusMirror& operator=(const StatusMirror&) = delete;

 private:
  void serve();
  void copy_changes();

  std::filesystem::path page_, copy_;
  Duration interval_;
  std::string copied_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace sweepd
