// The operations of a pickle (protocols 2 to 5), one at a time, from a stream. Nothing is executed:
// an operation that would import or call something is an error, and so is every other one that
// plain numbers, texts, lists, tuples and dictionaries do not need.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd::trace {

// What an operation does to the stack. The encodings of one thing are one kind.
enum class PickleOp : std::uint8_t {
  kMark,
  kInteger,    // pushes `integer`
  kText,       // pushes `text`
  kOther,      // pushes None, a truth value, a real number, bytes, or an integer beyond 64 bits
  kList,       // pushes an empty list
  kDict,       // pushes an empty dictionary
  kTuple,      // replaces the upper `integer` values by a tuple
  kMarkTuple,  // the same for the values above the mark
  kAppend,
  kAppends,  // those above the mark
  kSetItem,
  kSetItems,  // those above the mark
  kPut,       // stores the uppermost value under the number `integer`
  kMemoize,   // stores it under the next number
  kGet,       // pushes what is stored under `integer`
  kStop,
};

struct PickleStep {
  PickleOp op = PickleOp::kStop;
  std::uint64_t offset = 0;  // of the operation in the pickle
  std::int64_t integer = 0;
  std::string_view text;  // its first 64 KiB; valid until the next step
};

class PickleSteps {
 public:
  // `more` returns the next bytes, "" at the end.
  explicit PickleSteps(std::function<Result<std::string>()> more) : more_(std::move(more)) {}

  // Reads the next operation; kStop is the last. false: `error` says why not. Its message begins
  // with the byte and does not name the file, except for errors of `more`.
  bool next(PickleStep& step);
  const Error& error() const { return error_; }

 private:
  bool start();
  bool read(std::uint8_t code, PickleStep& step);
  bool have(std::size_t bytes) { return buffer_.size() - at_ >= bytes || fill(bytes); }
  bool fill(std::size_t bytes);
  bool take_unsigned(std::size_t bytes, std::uint64_t& value);
  bool take_integer(std::size_t bytes, PickleStep& step);
  bool take_text(std::size_t length_bytes, PickleStep& step);
  bool take_bytes(std::size_t length_bytes, PickleStep& step);
  bool take_long(std::size_t length_bytes, PickleStep& step);
  bool skip(std::uint64_t bytes);
  bool fail(const std::string& what);
  bool refuse(std::uint8_t code);

  std::function<Result<std::string>()> more_;
  std::string buffer_;
  std::size_t at_ = 0;           // in the buffer
  std::uint64_t before_ = 0;     // bytes of the pickle before the buffer
  std::uint64_t operation_ = 0;  // offset of the current operation
  bool started_ = false;
  Error error_;
};

}  // namespace sweepd::trace
