// Part of the precompiled header of what logs. spdlog 1.10 formats by fmt's internal
// `vformat_to`, a template, and without this line every file that logs compiles all of fmt's
// formatter again, which is half of its time. libfmt exports the instance.
#pragma once

#include <fmt/format.h>

extern template void fmt::detail::vformat_to<char>(
    fmt::detail::buffer<char>&, fmt::basic_string_view<char>,
    fmt::basic_format_args<fmt::buffer_context<char>>, fmt::detail::locale_ref);
