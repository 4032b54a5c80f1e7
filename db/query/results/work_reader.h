// Reads the work of a step and the peak of its devices, to which rates are compared.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "db/query/state.h"
#include "runner/model/machine/peaks.h"
#include "runner/model/measurement/work.h"

namespace sweepd {

struct AttemptWork {
  double tokens = 0;
  std::vector<std::pair<std::int64_t, PhaseWork>> phases;  // by the id of the phase's name
  Peak peak;                                 // of all ranks' devices together; zero when unknown
  std::string no_flops_peak, no_bytes_peak;  // why it is unknown

  PhaseWork of_phase(std::int64_t phase) const;  // without the name; 0 when unknown
};

class WorkReader {
 public:
  explicit WorkReader(ReaderState& state) : state_(state) {}
  AttemptWork read(std::int64_t attempt);

 private:
  struct DevicePeak {
    Peak peak;
    std::string no_flops, no_bytes;  // why it is unknown
  };
  // Returns the datasheet's peak if the device is known, else what `matmul` and `memcpy` measured
  // on it.
  const DevicePeak& peak_of_device(std::int64_t device, std::optional<std::int64_t> multiprocessors,
                                   const std::string& arithmetic);

  ReaderState& state_;
  std::map<std::tuple<std::int64_t, std::optional<std::int64_t>, std::string>, DevicePeak> peaks_;
};

}  // namespace sweepd
