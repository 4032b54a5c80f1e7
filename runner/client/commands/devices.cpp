#include <fmt/format.h>

#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/render/places_view.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/machine.h"

namespace sweepd {

namespace {

Exit devices(Client& client, const std::string& format) {
  const auto reply = client.call<rpc::Devices>({});
  if (!reply) return report_error(reply.error());
  Table table;
  table.title = "Devices of " + reply->host.hostname;
  table.columns = {{"device", "", Align::kLeft},       {"name", "", Align::kLeft},
                   {"memory", "GiB", Align::kRight},   {"arithmetic", "", Align::kLeft},
                   {"peak", "TFLOP/s", Align::kRight}, {"bandwidth", "GB/s", Align::kRight},
                   {"source", "", Align::kLeft},       {"state", "", Align::kLeft}};
  for (const rpc::DeviceEntry& device : reply->devices) {
    const bool is_cpu = device.kind == "cpu";
    const Cell where{is_cpu ? device.kind : fmt::format("{}:{}", device.kind, device.index), {}};
    const double gib = static_cast<double>(device.memory.value) / 0x1p30;
    const Cell memory{fmt::format("{:.1f}", gib), gib};
    const Cell name{device.name, {}};
    std::string words = device.paused ? "paused" : "";
    if (!device.fault.empty()) {
      words = "out of service: " +
              fault_text(device.fault, device.fault_attempt, device.paused.value_or(WallTime{}));
    }
    const Cell state{words, {}};
    if (device.peaks.empty()) {
      table.rows.push_back({where,
                            name,
                            memory,
                            {"", {}},
                            {"", {}},
                            {"", {}},
                            {device.no_peak.empty() ? "unknown; run the matmul and memcpy workloads"
                                                    : "unknown: " + device.no_peak,
                             {}},
                            state});
    }
    for (const rpc::PeakEntry& peak : device.peaks) {
      const double tflops = peak.flops_per_s * 1e-12;
      const double gbps = peak.bytes_per_s * 1e-9;
      const bool lacks = tflops <= 0 || gbps <= 0;
      const std::string source =
          lacks && !device.no_peak.empty() ? peak.source + "; " + device.no_peak : peak.source;
      table.rows.push_back({where,
                            name,
                            memory,
                            {peak.arithmetic, {}},
                            tflops > 0 ? Cell{fmt::format("{:.2f}", tflops), tflops} : Cell{"", {}},
                            gbps > 0 ? Cell{fmt::format("{:.0f}", gbps), gbps} : Cell{"", {}},
                            {source, {}},
                            state});
    }
  }
  if (reply->pools.empty()) {
    const auto printed = print_table(table, format);
    return printed ? Exit::kOk : report_error(printed.error());
  }
  std::vector<Table> tables{std::move(table)};
  for (const PoolStatus& pool : reply->pools) tables.push_back(nodes_table(pool));
  const auto printed = print_tables(tables, format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_devices(Command& app, Client& client) {
  auto format = std::make_shared<std::string>("text");
  Command* command = app.add_subcommand(
      "devices",
      "List the devices of this machine and their peaks, and the nodes of every other pool");
  add_format_option(*command, *format);
  command->footer("Example: sweepctl devices");
  command->callback([&client, format] {
    client.action = [&client, format] { return devices(client, *format); };
  });
}

}  // namespace sweepd
