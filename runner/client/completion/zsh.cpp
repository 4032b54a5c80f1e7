#include <fmt/format.h>

#include "runner/client/completion/scripts.h"

namespace sweepd {
namespace {

// {0} verbs, {1} global options, {2} cases of a verb's options, {3} cases of the kind of its words,
// {4} formats. As a file `_sweepctl` in $fpath, or sourced.
constexpr const char* kZshScript =
    R"zsh(#compdef sweepctl
# zsh completion of sweepctl, made by `sweepctl completion zsh`.
# Try it: source <(sweepctl completion zsh)

# The names that a running daemon knows; none when none runs, and none is started.
_sweepctl_names() {{
  local -a names state
  local i=${{words[(i)--state-dir]}}
  (( i < CURRENT - 1 )) && state=(--state-dir "${{(Q)words[i + 1]}}")
  names=(${{(f)"$(${{(Q)~words[1]}} $state completion $1 2>/dev/null)"}})
  compadd -a names
}}

_sweepctl() {{
  local -a verbs options
  local word verb=''
  verbs=(
{0}  )
  for word in "${{(@)words[2,CURRENT - 1]}}"; do
    if (( ${{verbs[(I)$word:*]}} )); then verb=$word && break; fi
  done
  case ${{words[CURRENT - 1]}} in
    --format) compadd {4} && return ;;
    --sweep) _sweepctl_names sweeps && return ;;
    --state-dir | --db) _files && return ;;
  esac
  if [[ $PREFIX == -* ]]; then
    case $verb in
{2}    esac
    options+=(
{1}    )
    _describe -o option options
  elif [[ -z $verb ]]; then
    _describe verb verbs
  else
    case $verb in
{3}      *) _files ;;
    esac
  fi
}}

if [[ ${{funcstack[1]}} == _sweepctl ]]; then _sweepctl "$@"; else compdef _sweepctl sweepctl; fi
)zsh";

// `'name:help'`, where a colon ends the name and a quote the word.
std::string described(const std::string& name, const std::string& help) {
  std::string out = "'" + name + ":";
  for (const char c : help) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'\n";
}

std::string described(const std::vector<Outline::Option>& options) {
  std::string out;
  for (const Outline::Option& option : options)
    out += "      " + described(option.name, option.help);
  return out;
}

}  // namespace

std::string zsh_script(const Outline& outline) {
  std::string verbs, options, words;
  for (const Outline::Verb& verb : outline.verbs) {
    verbs += "    " + described(verb.name, verb.help);
    options += fmt::format("    {}) options=(\n{}      ) ;;\n", verb.name, described(verb.options));
    if (verb.names.empty()) continue;
    words += fmt::format("      {}) _sweepctl_names {} ;;\n", verb.name, verb.names);
  }
  return fmt::format(kZshScript, verbs, described(outline.options), options, words,
                     outline.formats);
}

}  // namespace sweepd
