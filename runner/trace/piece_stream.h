// The pieces of a text as one stream, in the form of RapidJSON's streams.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "runner/base/units.h"
#include "runner/trace/chrome.h"

namespace sweepd::trace {

// RapidJSON holds the token that it reads.
inline constexpr std::size_t kLongestToken = 16 << 20;

// A NUL is its end. It also ends at an error, at a token of more than kLongestToken, and beyond
// `most_bytes`.
class PieceStream {
 public:
  using Ch = char;

  PieceStream(const NextPiece& next, std::int64_t most_bytes)
      : next_(next), most_bytes_(most_bytes) {
    fill();
  }

  // NOLINTBEGIN(readability-identifier-naming): the names that RapidJSON asks for
  char Peek() const { return *at_; }
  char Take() {
    const char c = *at_;
    if (!ended_ && ++at_ == end_) fill();
    return c;
  }
  std::size_t Tell() const { return before_ + static_cast<std::size_t>(at_ - piece_.data()); }
  char* PutBegin() { return nullptr; }
  void Put(char) {}
  void Flush() {}
  std::size_t PutEnd(char*) { return 0; }
  // NOLINTEND(readability-identifier-naming)

  void begin_token() { token_ = Tell(); }
  bool ended() const { return ended_; }
  const std::optional<Error>& error() const { return error_; }
  bool said_by_source() const { return said_by_source_; }  // which names the file

 private:
  void fill() {
    before_ += piece_.size();
    piece_.clear();
    if (before_ - token_ > kLongestToken) {
      error_ = {ErrorCode::kInvalidArgument,
                fmt::format("has a text of more than {}", to_text(Bytes{kLongestToken}))};
    } else if (static_cast<std::int64_t>(before_) > most_bytes_) {
      error_ = {ErrorCode::kResourceExhausted,
                fmt::format("has more than {}", to_text(Bytes{most_bytes_}))};
    } else if (auto next = next_(); next) {
      piece_ = std::move(*next);
    } else {
      error_ = next.error();
      said_by_source_ = true;
    }
    ended_ = piece_.empty();
    at_ = piece_.data();  // a std::string ends with NUL
    end_ = at_ + piece_.size();
  }

  const NextPiece& next_;
  std::int64_t most_bytes_;
  std::string piece_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::size_t before_ = 0, token_ = 0;  // bytes before the piece, before the token
  bool ended_ = false, said_by_source_ = false;
  std::optional<Error> error_;
};

}  // namespace sweepd::trace
