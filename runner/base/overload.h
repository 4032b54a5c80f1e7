// Combines several lambdas into one visitor of a std::variant.
#pragma once

namespace sweepd {

template <class... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overload(Fs...) -> Overload<Fs...>;  // clang 14 needs this

}  // namespace sweepd
