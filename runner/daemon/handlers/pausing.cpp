#include "runner/daemon/handlers/pausing.h"

#include "runner/daemon/handlers/named_sweeps.h"
#include "runner/daemon/serving/device_names.h"
#include "runner/exec/machine.h"

namespace sweepd {
namespace {

Result<std::vector<SweepId>> ids_of(Reader& reader, const std::vector<std::string>& names) {
  const auto sweeps = named_sweeps(reader, names);
  if (!sweeps) return sweeps.error();
  std::vector<SweepId> ids;
  for (const SweepRow& sweep : *sweeps) ids.push_back(sweep.id);
  return ids;
}

Result<void> check_names(const std::vector<std::string>& names, bool all, bool devices) {
  if (static_cast<int>(!names.empty()) + static_cast<int>(all || devices) == 1) return {};
  return Error{ErrorCode::kInvalidArgument,
               names.empty() ? "expected sweeps, all, or devices"
                             : "sweeps, all and devices exclude each other: expected one of them"};
}

struct ChangedDevices {
  std::vector<bool> changed;
  std::vector<PausedDevice> paused;
};

}  // namespace

boost::asio::awaitable<Result<std::vector<PausedSweep>>> change_pause(
    Services& services, const std::vector<std::string>& names, bool all, bool devices,
    ChangePause change) {
  if (const auto valid = check_names(names, all, devices); !valid) co_return valid.error();
  if (devices) co_return std::vector<PausedSweep>();
  const auto ask = [&names](Reader& reader) { return ids_of(reader, names); };
  const auto ids = co_await services.readers.run(ask);
  if (!ids) co_return ids.error();
  const auto work = [&](Store& store) { return change(store, *ids); };
  auto receipt = co_await services.writer.run(work);
  if (!receipt) co_return receipt.error();
  services.dispatcher.set_holds(std::move(receipt->holds));
  co_return std::move(receipt->sweeps);
}

boost::asio::awaitable<Result<std::vector<rpc::ChangedDevice>>> change_devices(
    Services& services, const std::vector<std::string>& names, DeviceChange change) {
  if (names.empty()) co_return std::vector<rpc::ChangedDevice>();
  std::vector<DeviceInfo> devices;
  const auto work = [&](Store& store) -> Result<ChangedDevices> {
    auto found = find_devices(discover_devices(services.machine, services.host), names);
    if (!found) return found.error();
    devices = std::move(*found);
    ChangedDevices all;
    for (const DeviceInfo& device : devices) {
      const auto changed = change == DeviceChange::kPause ? store.pause_device(device, now_wall())
                                                          : store.resume_device(device);
      if (!changed) return changed.error();
      all.changed.push_back(*changed);
    }
    auto paused = store.paused_devices();
    if (!paused) return paused.error();
    all.paused = std::move(*paused);
    return all;
  };
  const auto all = co_await services.writer.run(work);
  if (!all) co_return all.error();
  services.dispatcher.pause_devices(all->paused);
  std::vector<rpc::ChangedDevice> messages;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    messages.push_back({name_of(devices[i]), devices[i].name, all->changed[i]});
  }
  co_return messages;
}

}  // namespace sweepd
