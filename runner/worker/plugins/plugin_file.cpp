#include "runner/worker/plugins/plugin_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "runner/base/files.h"
#include "runner/base/hash.h"
#include "runner/base/started_as.h"
#include "runner/model/vocabulary/plugin.h"
#include "runner/worker/plugins/compile.h"
#include "runner/worker/plugins/identity.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 12;

std::string digits_of(std::string_view content) {
  return hash128(content).substr(0, kDigits);
}

std::string code_of(const fs::path& file, const std::string& digits) {
  return fmt::format("{}:{}", file.filename().string(), digits);
}

fs::path library_in_folder(const std::string& digits) {
  return plugins_folder() / (digits + ".so");
}

bool is_there(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored);
}

Result<KeptPlugin> keep_library(const fs::path& file, const std::string& shown) {
  const auto bytes = read_regular(file, Links::kFollow);
  if (!bytes) return bytes.error();
  if (std::string why = refusal_of_plugin(*bytes, shown, identity_of_worker()); !why.empty()) {
    return Error{ErrorCode::kInvalidArgument, std::move(why)};
  }
  const std::string digits = digits_of(*bytes);
  KeptPlugin kept{library_in_folder(digits), code_of(file, digits)};
  if (const auto copy = read_regular(kept.library, Links::kRefuse); copy && *copy == *bytes) {
    return kept;
  }
  // Another process may keep the same file.
  const fs::path part = fmt::format("{}.{}.part", kept.library.string(), ::getpid());
  if (const auto written = replace_file(part, *bytes); !written) return written.error();
  std::error_code error;
  fs::rename(part, kept.library, error);
  if (error) {
    return Error{ErrorCode::kIo, fmt::format("{}: {}", kept.library.string(), error.message())};
  }
  return kept;
}

Result<KeptPlugin> keep_source(const fs::path& file, const std::string& shown) {
  const auto compilation = plan_compilation(file, shown);
  if (!compilation) return compilation.error();
  const std::string digits = digits_of(compilation->identity);
  KeptPlugin kept{library_in_folder(digits), code_of(file, digits)};
  if (is_there(kept.library)) return kept;
  if (const auto made = compile_plugin(*compilation, kept.library, shown); !made)
    return made.error();
  return kept;
}

}  // namespace

fs::path plugins_folder() {
  return cache_folder() / "plugins";
}

Result<KeptPlugin> keep_plugin(const fs::path& file, const std::string& shown) {
  std::error_code error;
  fs::create_directories(plugins_folder(), error);
  if (error) {
    return Error{ErrorCode::kIo, fmt::format("cannot make the folder {}: {}",
                                             plugins_folder().string(), error.message())};
  }
  return is_plugin_source(file.string()) ? keep_source(file, shown) : keep_library(file, shown);
}

Result<fs::path> library_of_code(const fs::path& file, const std::string& code) {
  const std::string digits = code.substr(code.rfind(':') + 1);
  const fs::path kept = library_in_folder(digits);
  const bool is_any = code.empty() || code == "any";
  if (!is_any && is_there(kept)) {
    if (is_plugin_source(file.string())) return kept;
    const auto bytes = read_regular(kept, Links::kRefuse);
    if (bytes && digits_of(*bytes) == digits) return kept;
  }
  const auto again = keep_plugin(file, file.string());
  if (!again) return again.error();
  if (is_any || again->code == code) return again->library;
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("`{}` changed after it was submitted: its code was {} and is {}; submit "
                           "the sweep again",
                           file.string(), code, again->code)};
}

}  // namespace sweepd
