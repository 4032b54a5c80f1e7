#include "runner/sweepfile/sweep/auto_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/template_text.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {
namespace {

constexpr std::string_view kAuto = "auto";
const std::vector<std::string> kStyles{"dashes",   "spaces", "bare",   "flags",
                                       "no-flags", "True",   "changed"};
constexpr std::array<std::pair<const char*, const char*>, 6> kContradictions{
    {{"bare", "spaces"},
     {"bare", "flags"},
     {"bare", "no-flags"},
     {"flags", "no-flags"},
     {"flags", "True"},
     {"no-flags", "True"}}};

using Styles = std::set<std::string, std::less<>>;

Error auto_args_mistake(std::string message) {
  return {ErrorCode::kInvalidArgument, "args: " + std::move(message)};
}

Result<Styles> read_styles(std::string_view args) {
  auto words = cut_words(args);
  if (!words) return auto_args_mistake(words.error().message);
  const Styles styles(words->begin() + 1, words->end());
  for (const std::string& word : styles) {
    if (std::ranges::find(kStyles, word) != kStyles.end()) continue;
    return auto_args_mistake(fmt::format("`auto {}` is no style{}; expected some of {}",
                                         shown(word), did_you_mean(word, kStyles),
                                         join(kStyles, ", ")));
  }
  for (const auto& [one, other] : kContradictions) {
    if (!styles.contains(one) || !styles.contains(other)) continue;
    return auto_args_mistake(
        fmt::format("`auto`: `{}` and `{}` contradict each other", one, other));
  }
  return styles;
}

std::vector<std::string> words_for(const ParamDef& param, const Styles& styles) {
  const std::string& name = param.name;
  std::string option = name;
  if (styles.contains("dashes")) std::ranges::replace(option, '_', '-');
  std::string value = fmt::format("{{{}}}", name);
  if (param.type == ValueType::kBoolean) {
    const std::string yes = fmt::format("{{{}=true?--{}}}", name, option);
    if (styles.contains("flags")) return {yes};
    if (styles.contains("no-flags"))
      return {yes, fmt::format("{{{}=false?--no-{}}}", name, option)};
    if (styles.contains("True")) value = fmt::format("{{{0}=true?True}}{{{0}=false?False}}", name);
  }
  const bool list = param.form == TextForm::kList;
  const bool bare = styles.contains("bare");
  if (list) value = fmt::format("{{{},}}", name);
  if (list && bare) value = "[" + value + "]";
  if (bare) return {option + "=" + value};
  if (!styles.contains("spaces")) return {"--" + option + "=" + value};
  if (list) value = fmt::format("{{{}*}}", name);
  return {"--" + option, value};
}

}  // namespace

bool is_auto_args(std::string_view args) {
  return args == kAuto || args.starts_with(std::string(kAuto) + " ");
}

Result<std::string> spell_out_auto_args(std::string_view args,
                                        const std::vector<ParamDef>& declared) {
  const auto styles = read_styles(args);
  if (!styles) return styles.error();
  std::vector<std::string> words;
  for (const ParamDef& param : declared) {
    const std::string standard = text_in_template(param.default_value);
    const bool changed = styles->contains("changed");
    if (changed && standard.find_first_of("?{}") != std::string::npos) {
      return auto_args_mistake(fmt::format(
          "`auto changed` cannot leave out `{}`, whose default `{}` has a brace or a question mark",
          param.name, shown(standard)));
    }
    const std::string inside_word = standard.empty() ? "" : as_word(standard);
    for (const std::string& word : words_for(param, *styles)) {
      words.push_back(changed ? fmt::format("{{{}!{}?{}}}", param.name, inside_word, word) : word);
    }
  }
  return join(words, " ");
}

}  // namespace sweepd::sweepfile
