#include "runner/daemon/planning/config_files.h"

#include <cstdlib>

#include "runner/base/files.h"
#include "runner/wire/endpoint.h"

namespace sweepd {
namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// One byte more than is read: a larger file is a mistake that the parser reports.
constexpr std::int64_t kMostBytes = static_cast<std::int64_t>(kMaxSweepBytes) + 1;

}  // namespace

ConfigPlaces ConfigPlaces::from_environment(const std::string& option) {
  ConfigPlaces places;
  const std::string named = option.empty() ? variable("SWEEPD_CONFIG").value_or("") : option;
  if (!named.empty()) places.only = std::filesystem::absolute(named).lexically_normal();
  places.system = "/etc/sweepd/config.yaml";
  // The specification says to ignore relative paths in these variables.
  const std::filesystem::path xdg = variable("XDG_CONFIG_HOME").value_or("");
  places.user = (xdg.is_absolute() ? xdg : home_folder() / ".config") / "sweepd" / "config.yaml";
  return places;
}

Result<LoadedConfig> load_config(const ConfigPlaces& places) {
  LoadedConfig loaded;
  if (places.only.empty()) {
    loaded.files = {{places.system.string()}, {places.user.string()}};
  } else {
    loaded.files = {{places.only.string()}};
  }
  std::vector<ConfigText> texts;
  for (ConfigFile& file : loaded.files) {
    auto text = read_regular(file.path, Links::kFollow, kMostBytes);
    file.exists = text.ok();
    if (text) {
      texts.push_back({file.path, std::move(*text)});
    } else if (text.error().code != ErrorCode::kNotFound || !places.only.empty()) {
      return Error{text.error().code, "the configuration: " + text.error().message};
    }
  }
  const EnvironmentOf environment = variable;
  ParsedConfig parsed = parse_config(texts, environment);
  if (!parsed.errors.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "the configuration has mistakes\n" + render(parsed.errors)};
  }
  loaded.config = std::move(parsed.config);
  return loaded;
}

}  // namespace sweepd
