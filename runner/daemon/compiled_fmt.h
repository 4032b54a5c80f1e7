// Part of the precompiled header of files that log. spdlog 1.10 formats with fmt's internal
// template `vformat_to`. Without this line every file that logs compiles all of fmt's formatter
// again, which takes half of its time. libfmt exports the instance.
#pragma once

#include <fmt/format.h>

extern template void fmt::detail::vformat_to<char>(
    fmt::detail::buffer<char>&, fmt::basic_string_view<char>,
    fmt::basic_format_args<fmt::buffer_context<char>>, fmt::detail::locale_ref);
