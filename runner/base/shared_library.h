// A library that is opened at run time, such as the NVIDIA driver's, which most machines lack.
#pragma once

#include <dlfcn.h>

#include <memory>

namespace sweepd {

struct CloseLibrary {
  void operator()(void* library) const { ::dlclose(library); }
};
using SharedLibrary = std::unique_ptr<void, CloseLibrary>;

inline SharedLibrary open_library(const char* name) {  // null: there is none
  return SharedLibrary(::dlopen(name, RTLD_NOW | RTLD_LOCAL));
}

// Leaves `slot` null if the library has no such function.
template <class Function>
void find_in(void* library, const char* name, Function*& slot) {
  slot = reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace sweepd
