// short_kernel_name: reduces C++ kernel names to the parts that distinguish them.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "runner/model/vocabulary/kernel_class.h"

namespace sweepd {
namespace {

constexpr std::size_t kMaxLength = 80;

// Names that every instance of a template kernel shares.
constexpr std::array<std::string_view, 37> kNoise{"at",
                                                  "native",
                                                  "std",
                                                  "c10",
                                                  "cuda",
                                                  "cub",
                                                  "thrust",
                                                  "const",
                                                  "void",
                                                  "unsigned",
                                                  "anonymous",
                                                  "namespace",
                                                  "lambda",
                                                  "operator",
                                                  "memory",
                                                  "detail",
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
                                                  "binary_internal",
                                                  "OffsetCalculator",
                                                  "TrivialOffsetCalculator",
                                                  "LoadWithoutCast",
                                                  "StoreWithoutCast",
                                                  "func_wrapper_t",
                                                  "TensorListMetadata",
                                                  "opmath_symmetric_gpu_kernel_with_scalars",
                                                  "opmath_gpu_kernel_with_scalars",
                                                  "ReduceOp"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTypes{
    {{"float", "float"},
     {"double", "double"},
     {"BFloat16", "bf16"},
     {"Half", "half"},
     {"__nv_bfloat16", "bf16"},
     {"__half", "half"},
     {"bool", "bool"},
     {"long", "long"},
     {"int", "int"},
     {"short", "short"},
     {"complex", "complex"},
     {"ul", ""}}};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    words.push_back(text.substr(i, end - i));
    i = end;
  }
  return words;
}

std::string_view type_named(std::string_view word) {
  for (const auto& [name, folded] : kTypes) {
    if (word == name) return folded;
  }
  return {};
}

bool is_noise(std::string_view word) {
  if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) return true;
  return std::find(kNoise.begin(), kNoise.end(), word) != kNoise.end();
}

// "128", "(int)4", "4ul" -> the number; else "".
std::string_view number_of(std::string_view argument) {
  if (argument.starts_with('('))
    argument.remove_prefix(std::min(argument.find(')') + 1, argument.size()));
  std::size_t digits = argument.starts_with('-') ? 1 : 0;
  const std::size_t first = digits;
  while (digits < argument.size() &&
         std::isdigit(static_cast<unsigned char>(argument[digits])) != 0)
    ++digits;
  return digits > first && argument.substr(digits).find_first_of("<:(") == std::string_view::npos
             ? argument.substr(0, digits)
             : std::string_view();
}

// Reduces one template argument to its number, or to its functor with the first type in it, or to
// that type.
std::string fold_argument(std::string_view argument) {
  if (const auto number = number_of(argument); !number.empty()) return std::string(number);
  std::string functor;
  std::string_view type;
  for (const std::string_view word : words_of(argument)) {
    const std::string_view named = type_named(word);
    if (!named.empty()) {
      if (type.empty()) type = named;
    } else if (functor.empty() && !is_noise(word)) {
      functor = word;
    }
  }
  if (functor.empty()) return std::string(type);
  return type.empty() ? functor : functor + "<" + std::string(type) + ">";
}

// Returns the arguments of the "<...>" that `text` begins with, and in `rest` what follows it.
std::vector<std::string_view> arguments_of(std::string_view text, std::string_view& rest) {
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
    if (depth == 0) {
      rest = text.substr(i + 1);
      return arguments;
    }
  }
  rest = {};
  return arguments;
}

std::string without_tail(std::string_view name) {
  // cuBLAS and cuDNN append how a kernel is launched. The tile and the type come before that. Only
  // the end tells the product from the sum of its parts along k, which takes a tenth of the time.
  const bool sums = name.find("_execute_split_k_kernel") != std::string_view::npos;
  for (const std::string_view tail : {"_execute_", "_kernel__5x", "_warpsize"}) {
    if (const std::size_t at = name.find(tail); at != std::string_view::npos && at > 0)
      name = name.substr(0, at);
  }
  return std::string(name) + (sums ? "_split_k" : "");
}

std::string shortened(std::string name) {
  if (name.size() > kMaxLength) name = name.substr(0, kMaxLength - 3) + "...";
  return name;
}

}  // namespace

std::string short_kernel_name(std::string_view kernel) {
  std::string_view name = kernel;
  if (name.starts_with('[')) return std::string(name);  // [CUDA memcpy DtoD]
  constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
  if (name.starts_with(kEngine)) return "evaluate " + std::string(name.substr(kEngine.size()));
  if (name.starts_with("aten::") || name.find_first_of("<(") == std::string_view::npos) {
    return shortened(without_tail(name));
  }
  if (name.starts_with("void ")) name.remove_prefix(5);
  for (std::string_view anonymous = "(anonymous namespace)::";;) {
    const std::size_t at = name.find(anonymous);
    if (at == std::string_view::npos || at > name.find('<')) break;
    name = name.substr(at + anonymous.size());
  }
  const std::size_t end = name.find_first_of("<(");
  std::string_view head = name.substr(0, end);
  if (const std::size_t colon = head.rfind("::"); colon != std::string_view::npos)
    head = head.substr(colon + 2);
  if (end == std::string_view::npos || name[end] == '(') return shortened(without_tail(head));

  std::string_view rest;
  std::vector<std::string> folded;
  for (const std::string_view argument : arguments_of(name.substr(end), rest)) {
    std::string text = fold_argument(argument);
    // cutlass::Kernel2<the kernel's own name>
    if (text.starts_with("cutlass_")) return shortened(without_tail(text));
    if (!text.empty() && std::find(folded.begin(), folded.end(), text) == folded.end())
      folded.push_back(std::move(text));
  }
  std::string result(head);
  if (!folded.empty()) {
    result += '<';
    for (std::size_t i = 0; i < folded.size(); ++i) result += (i > 0 ? ", " : "") + folded[i];
    result += '>';
  }
  return shortened(std::move(result));
}

}  // namespace sweepd
