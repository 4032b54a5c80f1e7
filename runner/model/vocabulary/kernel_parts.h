// Splits the name of a kernel as C++ spells it. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

// Of `void at::native::reduce_kernel<512, 1, MeanOps<float> >(int)`:
struct KernelParts {
  std::string scope;                   // "at::native"
  std::string own;                     // "reduce_kernel"
  std::vector<std::string> arguments;  // "512", "1", "MeanOps<float> "
};

// Also of a mangled name, as Kineto keeps one that it cannot demangle: its arguments are the name
// of the first type and the numbers.
KernelParts parts_of_kernel(std::string_view kernel);

// Whether the name says nothing, because a library uses it for all its kernels
// (`cutlass::Kernel2<GEMM>`): an argument says what the kernel does.
bool is_wrapper(std::string_view own);

// The word of a template argument that names what it does, without namespaces: "MeanOps".
std::string_view functor_of(std::string_view argument);

// "bf16" of BFloat16 and __nv_bfloat16, "float" of float; "" if the word is no type.
std::string_view short_type(std::string_view word);

bool is_word_character(char c);  // of an identifier

// The arguments of the "<...>" that `text` begins with.
std::vector<std::string_view> template_arguments(std::string_view text);

}  // namespace sweepd
