#include "runner/model/machine/device_fault.h"

namespace sweepd {
namespace {

struct Words {
  std::string_view words;  // in the error's text
  std::string_view fault;
};

constexpr std::string_view kEcc = "uncorrectable ECC error";
constexpr std::string_view kNvlink = "uncorrectable NVLink error";
constexpr std::string_view kLost = "the GPU has fallen off the bus";

constexpr Words kAtAnyTime[] = {
    {"uncorrectable ECC error", kEcc},
    {"cudaErrorECCUncorrectable", kEcc},
    {"CUDA_ERROR_ECC_UNCORRECTABLE", kEcc},
    {"uncorrectable NVLink error", kNvlink},
    {"cudaErrorNvlinkUncorrectable", kNvlink},
    {"CUDA_ERROR_NVLINK_UNCORRECTABLE", kNvlink},
    {"fallen off the bus", kLost},
    {"GPU is lost", kLost},
};

// Errors of a process that has not begun its work and so cannot have caused them. Later the same
// text may be the consequence of its own mistake.
constexpr Words kBeforeTheFirstStep[] = {
    {"CUDA-capable device(s) is/are busy or unavailable", "busy or unavailable"},
    {"CUDA-capable devices are busy or unavailable", "busy or unavailable"},
    {"no CUDA-capable device is detected", "the driver does not find it"},
    {"CUDA error: unknown error", "unknown error before the first step"},
    {"CUDA_ERROR_UNKNOWN", "unknown error before the first step"},
};

}  // namespace

std::string_view device_fault_in(std::string_view error, std::string_view phase) {
  for (const Words& known : kAtAnyTime) {
    if (error.find(known.words) != std::string_view::npos) return known.fault;
  }
  if (phase != "setup") return "";
  for (const Words& known : kBeforeTheFirstStep) {
    if (error.find(known.words) != std::string_view::npos) return known.fault;
  }
  return "";
}

}  // namespace sweepd
