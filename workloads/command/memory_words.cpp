#include "workloads/command/memory_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "runner/base/text.h"

namespace sweepd::command {
namespace {

// A line without any of these is about something else. Each of kSure and of the words in
// says_out_of_memory has one, so that most lines of a log are searched for these only.
constexpr std::string_view kAbout[] = {"emory", "EMORY", "lloc",     "ALLOC",
                                       "OOM",   "oom",   "xhausted", "XHAUSTED"};

// Programs print these only for a failed allocation.
constexpr std::string_view kSure[] = {
    // PyTorch
    "MPS backend out of memory", "DefaultCPUAllocator: can't allocate",
    "DefaultCPUAllocator: not enough memory", "'c10::OutOfMemoryError'",
    // CUDA, HIP, Vulkan and Metal
    "cudaErrorMemoryAllocation", "CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory",
    "hipErrorMemoryAllocation", "_STATUS_ALLOC_FAILED", "OUT_OF_DEVICE_MEMORY",
    "ErrorOutOfDeviceMemory", "CallbackErrorOutOfMemory", "cuMemAlloc failed: out of memory",
    "cudaMalloc failed: out of memory", "hipMalloc failed: out of memory",
    // NCCL and RCCL
    "Failed to CUDA calloc", "Failed to CUDA host alloc", "Failed to HIP calloc",
    // XLA, TensorFlow
    "OOM when allocating tensor", "Ran out of memory in memory space", "failed to allocate memory",
    // ggml
    "failed to allocate buffer of size", "failed to allocate buffer for kv cache",
    "failed to allocate compute buffers", "ggml_aligned_malloc: insufficient memory",
    // vLLM
    "No available memory for the cache blocks", "less than desired GPU memory utilization",
    "larger than the available KV cache memory",
    // C++, Go, Java, JavaScript, R, Julia, Fortran, NumPy
    "std::bad_alloc", "runtime: out of memory", "java.lang.OutOfMemoryError",
    "insufficient memory for the Java Runtime", "JavaScript heap out of memory",
    "cannot allocate vector of size", "Out of GPU memory trying to allocate",
    "insufficient virtual memory", "_ArrayMemoryError: Unable to allocate",
    // Slurm and the kernel
    "oom_kill event", "oom-kill event", "oom-kill:constraint=", "Out of memory: Kill",
    "Exceeded step memory limit", "exceeded memory limit (", "cgroup out-of-memory handler"};

constexpr bool contains(std::string_view line, std::string_view words) {
  return line.find(words) != std::string_view::npos;
}

constexpr bool is_about_memory(std::string_view line) {
  return std::ranges::any_of(kAbout, [&](std::string_view word) { return contains(line, word); });
}
static_assert(std::ranges::all_of(kSure, is_about_memory));

// Whether the words end a sentence or its part, and not as in "when CUDA out of memory errors
// occur".
bool ends_sentence(std::string_view line, std::string_view words) {
  for (std::size_t at = line.find(words); at != std::string_view::npos;
       at = line.find(words, at + 1)) {
    const std::string_view rest = line.substr(at + words.size());
    if (rest.empty() || std::string_view(".,;!'").find(rest[0]) != std::string_view::npos ||
        rest.starts_with(" (")) {
      return true;
    }
  }
  return false;
}

// "torch.OutOfMemoryError: ..", "MemoryError", "ERROR: OutOfMemoryError()": behind the name is its
// message or nothing, and before it its module, and before that a label ("[rank0]:") or nothing.
bool is_memory_exception(std::string_view line) {
  for (const std::string_view name : {"OutOfMemoryError", "MemoryError"}) {
    const std::size_t at = line.rfind(name);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at + name.size());
    if (!rest.empty() && !rest.starts_with(": ") && rest != ":" && rest != "()") continue;
    const std::string_view before = line.substr(0, at);
    const std::size_t module = before.find_last_of(" \t") + 1;  // npos + 1 is 0
    const std::string_view label = trim(before.substr(0, module));
    if ((module == at || before.ends_with('.')) &&
        (label.empty() || label.ends_with(':') || label.ends_with(']'))) {
      return true;
    }
  }
  return false;
}

// ENOMEM. A limit for locked memory has the same number, and is no lack of memory.
bool is_enomem(std::string_view line) {
  if (!contains(line, "Cannot allocate memory")) return false;
  for (const std::string_view other : {"mlock", "MEMLOCK", "ibv_", "VirtualLock", "mlx5"}) {
    if (contains(line, other)) return false;
  }
  return contains(line, "[Errno 12]") || ends_sentence(line, "Cannot allocate memory");
}

bool is_of_xla(std::string_view line) {
  const bool exhausted =
      contains(line, "RESOURCE_EXHAUSTED") || contains(line, "Resource exhausted");
  return (exhausted && (contains(line, "ut of memory") || contains(line, "ttempting to"))) ||
         contains(line, "ran out of memory trying to allocate");
}

// Where an amount stands: behind the first, and before the second if it is not empty.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kAmounts{{
    {"ried to allocate ", ""},
    {"rying to allocate ", ""},
    {"ttempted to allocate ", ""},
    {"ttempting to allocate ", ""},
    {"ttempting to reserve ", ""},
    {"ut of memory allocating ", ""},
    {"nable to allocate ", ""},
    {"annot allocate ", ""},
    {"allocating ", "on device"},
    {"buffer of size ", ""},
    {"vector of size ", ""},
    {"memory allocation of ", "bytes failed"},
    {"alloc ", "bytes"},  // NCCL: "calloc 4 bytes", "calloc async 4 bytes"
}};

std::optional<double> power_of(std::string_view unit) {
  if (unit.starts_with('-')) unit.remove_prefix(1);  // Go: "8-byte block"
  constexpr std::string_view kPrefixes = "KMGT";
  if (unit.empty() || unit.starts_with("byte") || unit.starts_with("B ") || unit == "B") return 1;
  const std::size_t prefix =
      kPrefixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit[0]))));
  if (prefix == std::string_view::npos) return std::nullopt;
  constexpr std::array<double, 4> kPowers{0x1p10, 0x1p20, 0x1p30, 0x1p40};
  std::string_view rest = unit.substr(1);
  if (rest.starts_with('i')) rest.remove_prefix(1);
  if (rest.starts_with('B') || rest.starts_with('b')) rest.remove_prefix(1);
  const bool ends = rest.empty() || std::isalpha(static_cast<unsigned char>(rest[0])) == 0;
  return ends ? std::optional(kPowers[prefix]) : std::nullopt;
}

// "2.50 GiB. GPU 0", "8,589,934,592 bytes", "17.8G"; 0 if it is none.
std::int64_t amount_in(std::string_view text) {
  std::string digits;
  while (!text.empty() && (std::isdigit(static_cast<unsigned char>(text[0])) != 0 ||
                           (!digits.empty() && (text[0] == '.' || text[0] == ',')))) {
    if (text[0] != ',') digits += text[0];
    text.remove_prefix(1);
  }
  double number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc{}) return 0;
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto power = power_of(text);
  constexpr double kMost = 0x1p62;
  if (!power || !(number * *power <= kMost)) return 0;
  return static_cast<std::int64_t>(number * *power);
}

}  // namespace

bool says_out_of_memory(std::string_view line) {
  if (!is_about_memory(line)) return false;
  if (contains(line, "out of resource: ") || says_memory_was_survived(line)) return false;
  if (std::ranges::any_of(kSure, [&](std::string_view words) { return contains(line, words); }))
    return true;
  for (const std::string_view words :
       {"CUDA out of memory", "HIP out of memory", "XPU out of memory", "NPU out of memory"}) {
    if (ends_sentence(line, words)) return true;
  }
  for (const std::string_view words :
       {"CUDA error", "HIP error", "CUDA failure", "Cuda failure", "HIP failure"}) {
    if (!contains(line, words)) continue;
    if (contains(line, ": out of memory") || contains(line, "'out of memory'")) return true;
  }
  if (contains(line, "memory allocation of ") && contains(line, " bytes failed")) return true;
  if (contains(line, "failed to allocate ") && contains(line, " buffer of size ")) return true;
  if (contains(line, "unable to allocate ") && line.ends_with(" buffer")) return true;
  if (line.starts_with("srun: error: ") && line.ends_with(": Out Of Memory")) return true;
  return is_memory_exception(line) || is_of_xla(line) || is_enomem(line);
}

bool says_memory_was_survived(std::string_view line) {
  if (contains(line, "caller indicates that this is not a failure")) return true;
  if (!contains(line, "memory") && !contains(line, "alloc")) return false;
  for (const std::string_view words :
       {"retrying", "skipping", "falling back", "halving", "trying again"}) {
    if (contains(line, words)) return true;
  }
  return false;
}

Bytes requested_bytes(std::string_view line) {
  for (const auto& [before, behind] : kAmounts) {
    const std::size_t at = line.find(before);
    if (at == std::string_view::npos) continue;
    std::string_view rest = line.substr(at + before.size());
    if (rest.starts_with("async ")) rest.remove_prefix(6);
    if (!behind.empty() && !contains(rest, behind)) continue;
    if (const std::int64_t amount = amount_in(rest); amount > 0) return {amount};
  }
  return {};
}

}  // namespace sweepd::command
