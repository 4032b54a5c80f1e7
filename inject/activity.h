// From an activity record of CUPTI to one of the file.
#pragma once

#include <cstdint>

namespace sweepd::inject {

// cuptiGetCallbackName
using CallName = int (*)(int domain, std::uint32_t cbid, const char** name);

// Needs an Entry. Other kinds of records are ignored.
void record_activity(const void* activity, CallName name_of);

}  // namespace sweepd::inject
