// short_kernel_name: reduces C++ kernel names to the parts that distinguish them.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "runner/model/vocabulary/kernel_class.h"
#include "runner/model/vocabulary/kernel_parts.h"

namespace sweepd {
namespace {

constexpr std::size_t kMaxLength = 80;

// The first type in the text, "" without one. The type of a cast, `(int)64`, is none.
std::string_view first_type_in(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    const bool is_cast = end + 1 < text.size() && text[end] == ')' &&
                         std::isdigit(static_cast<unsigned char>(text[end + 1])) != 0;
    if (const auto type = short_type(word); !type.empty() && !is_cast) return type;
    i = std::max(end, i + 1);
  }
  return {};
}

// "128", "(int)4", "4ul" -> the number; else "". A truth value, "(bool)1", is no number.
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

std::string_view truth_of(std::string_view argument) {
  if (argument == "(bool)0" || argument == "false") return "false";
  return argument == "(bool)1" || argument == "true" ? "true" : "";
}

// ", 64, 128" of the functor's own arguments.
std::string numbers_of_functor(std::string_view argument, std::string_view functor) {
  const auto end = static_cast<std::size_t>(functor.data() - argument.data()) + functor.size();
  std::string numbers;
  if (end >= argument.size() || argument[end] != '<') return numbers;
  for (const std::string_view inner : template_arguments(argument.substr(end))) {
    const std::string_view number = truth_of(inner).empty() ? number_of(inner) : "";
    if (!number.empty()) numbers.append(", ").append(number);
  }
  return numbers;
}

// Reduces one template argument to its number, or to its functor with the numbers and the first
// type in it, or to that type.
std::string fold_argument(std::string_view argument) {
  if (const auto truth = truth_of(argument); !truth.empty()) return std::string(truth);
  if (const auto number = number_of(argument); !number.empty()) return std::string(number);
  const std::string_view functor = functor_of(argument);
  const std::string_view type = first_type_in(argument);
  if (functor.empty()) return std::string(type);
  std::string inside = numbers_of_functor(argument, functor);
  if (!type.empty()) inside.append(", ").append(type);
  if (inside.empty()) return std::string(functor);
  return std::string(functor) + "<" + inside.substr(2) + ">";
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
  if (kernel.starts_with('[')) return std::string(kernel);  // [CUDA memcpy DtoD]
  constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
  if (kernel.starts_with(kEngine)) return "evaluate " + std::string(kernel.substr(kEngine.size()));
  const bool is_cpp = kernel.find_first_of("<(") != std::string_view::npos;
  if (kernel.starts_with("aten::") || (!is_cpp && !kernel.starts_with("_Z"))) {
    return shortened(without_tail(kernel));
  }
  const KernelParts parts = parts_of_kernel(kernel);
  std::string head = parts.own;
  // internal::gemvx::kernel
  if (head == "kernel" && !parts.scope.empty()) {
    const std::size_t colon = parts.scope.rfind("::");
    head = parts.scope.substr(colon == std::string::npos ? 0 : colon + 2) + "::" + head;
  }
  if (parts.arguments.empty()) return shortened(without_tail(head));

  std::vector<std::string> folded;
  for (const std::string& argument : parts.arguments) {
    std::string text = fold_argument(argument);
    // cutlass::Kernel2<the kernel's own name>
    if (text.starts_with("cutlass_")) return shortened(without_tail(text));
    if (!text.empty() &&
        (!number_of(text).empty() || std::ranges::find(folded, text) == folded.end()))
      folded.push_back(std::move(text));
  }
  std::string result = std::move(head);
  if (!folded.empty()) {
    result += '<';
    for (std::size_t i = 0; i < folded.size(); ++i) result += (i > 0 ? ", " : "") + folded[i];
    result += '>';
  }
  return shortened(std::move(result));
}

}  // namespace sweepd
