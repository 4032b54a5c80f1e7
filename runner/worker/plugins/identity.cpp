#include "runner/worker/plugins/identity.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "workloads/api/device.h"
#include "workloads/api/plugin_abi.h"

namespace sweepd {
namespace {

constexpr std::string_view kMark = "\nsweepd plugin\n";

std::string line_after(std::string_view text, std::string_view key) {
  const std::string begin = fmt::format("\n{} ", key);
  const std::size_t at = text.find(begin);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + begin.size());
  return std::string(text.substr(0, text.find('\n')));
}

#if defined(__aarch64__)
constexpr auto kMachine = EM_AARCH64;
#else
constexpr auto kMachine = EM_X86_64;
#endif

// Returns "" or why the bytes are no library that this machine can load.
std::string mistake_in_library(std::string_view bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr) || !bytes.starts_with(ELFMAG)) {
    return "is no shared library; expected one that `c++ -shared` makes";
  }
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_type != ET_DYN) return "is a program or an object file; expected a shared library";
  if (header.e_machine != kMachine) return "is a library for another processor";
  // The linker writes the table of sections last.
  if (header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize > bytes.size()) {
    return "is cut off; build or copy it again";
  }
  return "";
}

std::string libtorch_of(const PluginIdentity& identity) {
  return identity.libtorch.empty() ? "no LibTorch" : "LibTorch " + identity.libtorch;
}

}  // namespace

PluginIdentity identity_of_worker() {
  return {SWEEPD_PLUGIN_ABI, SWEEPD_PLUGIN_VERSION, SWEEPD_PLUGIN_COMPILER,
          std::string(libtorch_version())};
}

std::optional<PluginIdentity> identity_in(std::string_view bytes) {
  constexpr std::size_t kLongest = 1000;
  const std::size_t at = bytes.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view text = bytes.substr(at, kLongest);
  text = text.substr(0, text.find('\0'));
  text.remove_prefix(kMark.size() - 1);
  return PluginIdentity{line_after(text, "abi"), line_after(text, "sweepd"),
                        line_after(text, "compiler"), line_after(text, "libtorch")};
}

std::string to_text(const PluginIdentity& identity) {
  return fmt::format("ABI {}, sweepd {}, {}, {}", identity.abi, identity.sweepd, identity.compiler,
                     libtorch_of(identity));
}

std::string refusal_of_plugin(std::string_view bytes, std::string_view shown,
                              const PluginIdentity& worker) {
  if (const std::string mistake = mistake_in_library(bytes); !mistake.empty()) {
    return fmt::format("`{}` {}", shown, mistake);
  }
  const auto identity = identity_in(bytes);
  if (!identity) {
    return fmt::format(
        "`{}` lacks the entry point `sweepd_plugin_v1`; include \"workloads/api/plugin.h\" in it",
        shown);
  }
  if (identity->abi != worker.abi) {
    return fmt::format(
        "`{}` has another plugin ABI ({}) than this sweep-worker ({}); build it against the "
        "headers of sweepd {}",
        shown, to_text(*identity), to_text(worker), worker.sweepd);
  }
  if (!identity->libtorch.empty() && identity->libtorch != worker.libtorch) {
    return fmt::format("`{}` needs another LibTorch ({}) than this sweep-worker has ({})", shown,
                       to_text(*identity), to_text(worker));
  }
  return "";
}

}  // namespace sweepd
