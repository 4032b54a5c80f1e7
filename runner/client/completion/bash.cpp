#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/client/completion/scripts.h"

namespace sweepd {
namespace {

// {0} verbs, {1} global options, {2} cases of a verb's options, {3} cases of the kind of its words,
// {4} formats.
constexpr const char* kBashScript =
    R"bash(# bash completion of sweepctl, made by `sweepctl completion bash`.
# Try it: source <(sweepctl completion bash)

# The names that a running daemon knows; none when none runs, and none is started.
_sweepctl_names() {{
  local i state=()
  for ((i = 1; i + 1 < COMP_CWORD; i++)); do
    [[ ${{COMP_WORDS[i]}} == --state-dir ]] && state=(--state-dir "${{COMP_WORDS[i + 1]}}")
  done
  "${{COMP_WORDS[0]/#\~/$HOME}}" "${{state[@]}}" completion "$1" 2>/dev/null
}}

# Offers those of the lines on standard input that begin with what is typed. Names come from other
# machines' databases too: none is expanded, neither here (compgen -W would) nor on the command line.
_sweepctl_offer() {{
  local word
  while IFS= read -r word; do
    [[ -n $word && $word == "$1"* ]] && COMPREPLY+=("$(printf %q "$word")")
  done
}}

_sweepctl() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} verb='' i words='' kind=''
  COMPREPLY=()
  local verbs=' {0} '
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ $verbs == *" ${{COMP_WORDS[i]}} "* ]]; then verb=${{COMP_WORDS[i]}} && break; fi
  done
  case $prev in
    --format) words='{4}' ;;
    --sweep) kind=sweeps ;;
    --state-dir | --db) return ;;
  esac
  if [[ -z $words$kind && $cur == -* ]]; then
    case $verb in
{2}    esac
    words="$words {1}"
  elif [[ -z $words$kind ]]; then
    case $verb in
      '') words=$verbs ;;
{3}    esac
  fi
  _sweepctl_offer "$cur" < <(
    if [[ -n $kind ]]; then _sweepctl_names "$kind"; else printf '%s\n' $words; fi
  )
}}

# What has no words of ours is a file.
complete -o default -F _sweepctl sweepctl
)bash";

std::string words_of(const std::vector<Outline::Option>& options) {
  std::vector<std::string> names;
  for (const Outline::Option& option : options) names.push_back(option.name);
  return join(names, " ");
}

}  // namespace

std::string bash_script(const Outline& outline) {
  std::vector<std::string> verbs;
  std::string options, words;
  for (const Outline::Verb& verb : outline.verbs) {
    verbs.push_back(verb.name);
    options += fmt::format("      {}) words='{}' ;;\n", verb.name, words_of(verb.options));
    if (verb.names.empty()) continue;
    words += fmt::format("      {}) kind={} ;;\n", verb.name, verb.names);
  }
  return fmt::format(kBashScript, join(verbs, " "), words_of(outline.options), options, words,
                     outline.formats);
}

}  // namespace sweepd
