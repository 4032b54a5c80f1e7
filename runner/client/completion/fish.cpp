#include <fmt/format.h>

#include "runner/client/completion/scripts.h"

namespace sweepd {
namespace {

constexpr const char* kHead =
    R"(# fish completion of sweepctl, made by `sweepctl completion fish`.
# Try it: sweepctl completion fish | source

# The names that a running daemon knows; none when none runs, and none is started.
function __sweepctl_names
    set -l words (commandline -opc)
    set -l state
    if set -l i (contains -i -- --state-dir $words)
        set state --state-dir $words[(math $i + 1)]
    end
    # Not by eval, which would run what is typed after --state-dir.
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    $program $state completion $argv[1] 2>/dev/null
end

complete -c sweepctl -e
complete -c sweepctl -n __fish_use_subcommand -f
)";

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// The possible values of this option, as words of `complete`.
std::string values_of(const Outline& outline, const Outline::Option& option) {
  if (!option.has_value) return "";
  if (option.name == "--format") return fmt::format(" -x -a '{}'", outline.formats);
  if (option.name == "--sweep") return " -x -a '(__sweepctl_names sweeps)'";
  return " -r";
}

std::string lines_of(const Outline& outline, const std::vector<Outline::Option>& options,
                     const std::string& condition) {
  std::string lines;
  for (const Outline::Option& option : options) {
    lines += fmt::format("complete -c sweepctl{} -l {} -d {}{}\n", condition, option.name.substr(2),
                         quoted(option.help), values_of(outline, option));
  }
  return lines;
}

}  // namespace

std::string fish_script(const Outline& outline) {
  std::string script = kHead + lines_of(outline, outline.options, "");
  for (const Outline::Verb& verb : outline.verbs) {
    script += fmt::format("complete -c sweepctl -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                          quoted(verb.help));
  }
  for (const Outline::Verb& verb : outline.verbs) {
    const std::string here = fmt::format(" -n '__fish_seen_subcommand_from {}'", verb.name);
    script += lines_of(outline, verb.options, here);
    if (verb.names.empty()) continue;
    script +=
        fmt::format("complete -c sweepctl{} -f -a '(__sweepctl_names {})'\n", here, verb.names);
  }
  return script;
}

}  // namespace sweepd
