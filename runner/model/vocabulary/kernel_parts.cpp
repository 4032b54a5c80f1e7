#include "runner/model/vocabulary/kernel_parts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <optional>
#include <utility>

namespace sweepd {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kTypes{
    {{"float", "float"},
     {"double", "double"},
     {"BFloat16", "bf16"},
     {"bfloat16_t", "bf16"},
     {"Half", "half"},
     {"half_t", "half"},
     {"__nv_bfloat16", "bf16"},
     {"__hip_bfloat16", "bf16"},
     {"hip_bfloat16", "bf16"},
     {"__half", "half"},
     {"bool", "bool"},
     {"long", "long"},
     {"int", "int"},
     {"short", "short"},
     {"complex", "complex"}}};

// Names that every instance of a template kernel shares.
constexpr std::array<std::string_view, 36> kNoWork{"const",
                                                   "decltype",
                                                   "void",
                                                   "unsigned",
                                                   "anonymous",
                                                   "namespace",
                                                   "lambda",
                                                   "instance",
                                                   "operator",
                                                   "array",
                                                   "Array",
                                                   "char",
                                                   "TensorIteratorBase",
                                                   "TensorIterator",
                                                   "gpu_kernel_impl",
                                                   "gpu_kernel_impl_nocast",
                                                   "gpu_kernel",
                                                   "BinaryFunctor",
                                                   "AUnaryFunctor",
                                                   "BUnaryFunctor",
                                                   "OffsetCalculator",
                                                   "TrivialOffsetCalculator",
                                                   "LoadWithoutCast",
                                                   "StoreWithoutCast",
                                                   "func_wrapper_t",
                                                   "TensorListMetadata",
                                                   "opmath_symmetric_gpu_kernel_with_scalars",
                                                   "opmath_gpu_kernel_with_scalars",
                                                   "ReduceOp",
                                                   "enable_sm80_to_sm89",
                                                   "enable_sm90",
                                                   "enable_sm90_or_later",
                                                   "enable_sm100f_only",
                                                   "enable_2x_kernel_for_sm89",
                                                   "enable_3x_kernel_for_sm9x",
                                                   "enable_3x_kernel_for_sm10"};

bool is_decimal(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool says_nothing(std::string_view word) {
  return is_decimal(word.front()) || !short_type(word).empty() ||
         std::ranges::find(kNoWork, word) != kNoWork.end();
}

// The word is a namespace or class around another name.
bool qualifies(std::string_view after) {
  return after.size() > 2 && after.starts_with("::") && is_word_character(after[2]) &&
         !after.substr(2).starts_with("operator");
}

// c++filt and CUPTI write the first, nsys the second.
std::string without_anonymous(std::string_view kernel) {
  std::string name(kernel);
  for (const std::string_view part : {"(anonymous namespace)::", "<unnamed>::"}) {
    for (std::size_t at = 0; (at = name.find(part, at)) != std::string::npos;) {
      name.erase(at, part.size());
    }
  }
  return name;
}

// Reads mangled names as far as their identifiers and numbers go.
class Mangled {
 public:
  explicit Mangled(std::string_view name) : rest_(name) {}

  std::optional<KernelParts> parts() {
    rest_.remove_prefix(2);  // _Z
    if (rest_.starts_with('N')) rest_.remove_prefix(1);
    KernelParts parts;
    std::vector<std::string> names = identifiers();
    if (names.empty()) return std::nullopt;
    parts.own = names.back();
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      parts.scope += (i > 0 ? "::" : "") + names[i];
    }
    if (rest_.starts_with('I')) read_arguments(parts.arguments);
    return parts;
  }

 private:
  static constexpr std::size_t kLongest = 100'000;

  // "3foo3bar" is foo, bar.
  std::vector<std::string> identifiers() {
    std::vector<std::string> names;
    while (!rest_.empty() && is_decimal(rest_.front())) {
      std::size_t length = 0;
      while (!rest_.empty() && is_decimal(rest_.front()) && length < kLongest) {
        length = length * 10 + static_cast<std::size_t>(rest_.front() - '0');
        rest_.remove_prefix(1);
      }
      if (length > 0) names.emplace_back(rest_.substr(0, length));
      rest_.remove_prefix(std::min(length, rest_.size()));
    }
    return names;
  }

  // S0_ and T1_ repeat something, DF16b is a type: their digits are no length.
  bool skip_code() {
    if (!rest_.starts_with('S') && !rest_.starts_with('T') && !rest_.starts_with("DF")) {
      return false;
    }
    rest_.remove_prefix(rest_.starts_with('D') ? 2 : 1);
    while (!rest_.empty() && is_decimal(rest_.front())) rest_.remove_prefix(1);
    return true;
  }

  void read_arguments(std::vector<std::string>& arguments) {
    bool has_type = false;
    while (!rest_.empty()) {
      if (rest_.size() > 2 && rest_.starts_with('L') && is_decimal(rest_[2])) {  // Li256E
        const std::string_view number = rest_.substr(2, rest_.find('E') - 2);
        const bool is_number = number.find_first_not_of("0123456789") == std::string_view::npos;
        if (is_number && rest_[1] != 'b') arguments.emplace_back(number);
        rest_.remove_prefix(std::min(number.size() + 2, rest_.size()));
      } else if (skip_code()) {
        continue;
      } else if (is_decimal(rest_.front())) {
        const std::vector<std::string> names = identifiers();
        if (!has_type && !names.empty() && !says_nothing(names.back())) {
          arguments.push_back(names.back());
          has_type = true;
        }
      } else {
        rest_.remove_prefix(1);
      }
    }
  }

  std::string_view rest_;
};

}  // namespace

std::string_view short_type(std::string_view word) {
  const auto found =
      std::ranges::find(kTypes, word, &std::pair<std::string_view, std::string_view>::first);
  return found == kTypes.end() ? std::string_view() : found->second;
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<std::string_view> template_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  int depth = 0;
  std::size_t begin = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if ((c == ',' && depth == 1) || depth == 0) {
      while (begin < i && text[begin] == ' ') ++begin;
      arguments.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
    if (depth == 0) break;
  }
  return arguments;
}

KernelParts parts_of_kernel(std::string_view kernel) {
  if (kernel.starts_with("_Z")) {
    if (auto parts = Mangled(kernel).parts()) return *std::move(parts);
  }
  const std::string name = without_anonymous(kernel);
  int depth = 0;
  // Of the whole name without its return type, of its last part, of that part's "<".
  std::size_t begin = 0, own = 0, open = std::string::npos, end = 0;
  for (; end < name.size() && (depth > 0 || name[end] != '('); ++end) {
    const char c = name[end];
    if (depth == 0 && c == ' ') begin = own = end + 1, open = std::string::npos;
    if (depth == 0 && c == ':' && end > 0 && name[end - 1] == ':') {
      own = end + 1;
      open = std::string::npos;
    }
    if (c == '<' || c == '(') {
      if (depth == 0) open = end;
      ++depth;
    }
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  KernelParts parts;
  parts.own = name.substr(own, std::min(open, end) - own);
  if (own > begin + 2) parts.scope = name.substr(begin, own - begin - 2);
  if (open == std::string::npos) return parts;
  for (const std::string_view argument : template_arguments(std::string_view(name).substr(open))) {
    parts.arguments.emplace_back(argument);
  }
  return parts;
}

bool is_wrapper(std::string_view own) {
  constexpr std::array<std::string_view, 7> kWrappers{
      "kernel", "Kernel", "Kernel2", "device_kernel", "kentry", "trampoline_kernel", "run_kernel"};
  return std::ranges::find(kWrappers, own) != kWrappers.end();
}

std::string_view functor_of(std::string_view argument) {
  for (std::size_t i = 0; i < argument.size();) {
    if (!is_word_character(argument[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < argument.size() && is_word_character(argument[end])) ++end;
    const std::string_view word = argument.substr(i, end - i);
    if (!says_nothing(word) && !qualifies(argument.substr(end))) return word;
    i = end;
  }
  return {};
}

}  // namespace sweepd
