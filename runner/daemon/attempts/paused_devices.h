// The devices of this machine on which nothing new starts: users paused them, or an attempt met a
// fault of the GPU itself. The worker reports such a fault in its last event; the GPU is out of
// service until `resume --device`. Lives on the event loop.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "db/store/store.h"
#include "runner/daemon/threads/writer.h"
#include "runner/model/attempt/attempt_record.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

class PausedDeviceList {
 public:
  PausedDeviceList(Writer& writer, const Machine& machine) : writer_(writer), machine_(machine) {}

  void set(std::vector<PausedDevice> devices) { devices_ = std::move(devices); }
  const std::vector<PausedDevice>& all() const { return devices_; }
  PausedDevices for_scheduler() const;
  // Whether a rank of the attempt would run on one.
  bool has_device_of(const OpenAttempt& attempt) const;
  // Adds the GPUs that the attempt found faulty, here and in the database. Returns the fault, or ""
  // if there is none.
  std::string add_faults(const OpenAttempt& attempt, const AttemptRecord& record);
  // Whether as many GPUs as the attempt needs are still in service.
  bool leaves_gpus_for(const OpenAttempt& attempt) const;

 private:
  Writer& writer_;
  const Machine& machine_;
  std::vector<PausedDevice> devices_;
};

}  // namespace sweepd
