// Records for the tests of rules.
#pragma once

#include "runner/model/verdict/judge.h"

namespace sweepd {

// Of a done attempt on a quiet H200 host: 16 cores, 4 of them leased, and nothing else running.
inline AttemptRecord quiet_record() {
  AttemptRecord record;
  record.ending = {Done{"fixed_steps"}, 0};
  record.work.emplace();
  Environment& environment = record.environment.emplace();
  environment.host.cores = 16;
  environment.cores = "0-3";
  DeviceInfo device;
  device.kind = "cuda";
  device.name = "NVIDIA H200";
  environment.devices = {device};
  DeviceState before, after;
  before.moment = "before";
  after.moment = "after";
  environment.states = {before, after};
  return record;
}

}  // namespace sweepd
