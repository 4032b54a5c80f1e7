#include "runner/trace/pickle_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace sweepd::trace {
namespace {

constexpr std::size_t kLongestPickledText = 64 << 10;
constexpr std::uint8_t kProtocolCode = 0x80;

enum class Argument : std::uint8_t {
  kUnknown,  // no plain data needs the operation
  kNone,
  kMembers,   // `bytes` is the number of a tuple's members
  kUnsigned,  // of `bytes` bytes
  kSigned,    // of 4
  kLong,      // any of these three: its length in `bytes` bytes, then the content
  kText,
  kBytes,
  kSkip,  // `bytes` bytes that are not needed
};

struct Encoding {
  std::uint8_t code = 0;
  PickleOp op = PickleOp::kOther;
  Argument argument = Argument::kNone;
  std::uint8_t bytes = 0;
};

constexpr std::array kEncodings{
    Encoding{'(', PickleOp::kMark},
    Encoding{'.', PickleOp::kStop},
    Encoding{'J', PickleOp::kInteger, Argument::kSigned, 4},
    Encoding{'K', PickleOp::kInteger, Argument::kUnsigned, 1},
    Encoding{'M', PickleOp::kInteger, Argument::kUnsigned, 2},
    Encoding{0x8a, PickleOp::kInteger, Argument::kLong, 1},
    Encoding{0x8b, PickleOp::kInteger, Argument::kLong, 4},
    Encoding{'G', PickleOp::kOther, Argument::kSkip, 8},
    Encoding{'N', PickleOp::kOther},
    Encoding{0x88, PickleOp::kOther},
    Encoding{0x89, PickleOp::kOther},
    Encoding{0x8c, PickleOp::kText, Argument::kText, 1},
    Encoding{'X', PickleOp::kText, Argument::kText, 4},
    Encoding{0x8d, PickleOp::kText, Argument::kText, 8},
    Encoding{'C', PickleOp::kOther, Argument::kBytes, 1},
    Encoding{'B', PickleOp::kOther, Argument::kBytes, 4},
    Encoding{0x8e, PickleOp::kOther, Argument::kBytes, 8},
    Encoding{']', PickleOp::kList},
    Encoding{'}', PickleOp::kDict},
    Encoding{')', PickleOp::kTuple, Argument::kMembers, 0},
    Encoding{0x85, PickleOp::kTuple, Argument::kMembers, 1},
    Encoding{0x86, PickleOp::kTuple, Argument::kMembers, 2},
    Encoding{0x87, PickleOp::kTuple, Argument::kMembers, 3},
    Encoding{'t', PickleOp::kMarkTuple},
    Encoding{'a', PickleOp::kAppend},
    Encoding{'e', PickleOp::kAppends},
    Encoding{'s', PickleOp::kSetItem},
    Encoding{'u', PickleOp::kSetItems},
    Encoding{'q', PickleOp::kPut, Argument::kUnsigned, 1},
    Encoding{'r', PickleOp::kPut, Argument::kUnsigned, 4},
    Encoding{0x94, PickleOp::kMemoize},
    Encoding{'h', PickleOp::kGet, Argument::kUnsigned, 1},
    Encoding{'j', PickleOp::kGet, Argument::kUnsigned, 4},
};

constexpr auto kEncodingOf = [] {
  std::array<Encoding, 256> encodings{};
  for (Encoding& encoding : encodings) encoding.argument = Argument::kUnknown;
  for (const Encoding& encoding : kEncodings) encodings[encoding.code] = encoding;
  return encodings;
}();

// The operations that run code of the file's choice, or that read from outside of it.
const char* name_of_dangerous(std::uint8_t code) {
  switch (code) {
    case 'c':
      return "GLOBAL";
    case 0x93:
      return "STACK_GLOBAL";
    case 'R':
      return "REDUCE";
    case 'b':
      return "BUILD";
    case 'i':
      return "INST";
    case 'o':
      return "OBJ";
    case 0x81:
      return "NEWOBJ";
    case 0x92:
      return "NEWOBJ_EX";
    case 'P':
      return "PERSID";
    case 'Q':
      return "BINPERSID";
    case 0x82:
      return "EXT1";
    case 0x83:
      return "EXT2";
    case 0x84:
      return "EXT4";
    case 0x97:
      return "NEXT_BUFFER";
    default:
      return nullptr;
  }
}

}  // namespace

bool PickleSteps::fail(const std::string& what) {
  error_ = {ErrorCode::kInvalidArgument, fmt::format("byte {}: {}", operation_, what)};
  return false;
}

bool PickleSteps::refuse(std::uint8_t code) {
  constexpr const char* kExpected =
      "expected only numbers, texts, lists, tuples and dictionaries, as in a memory snapshot";
  if (const char* name = name_of_dangerous(code)) {
    return fail(fmt::format("the operation {} would run code; {}", name, kExpected));
  }
  return fail(fmt::format("unknown operation 0x{:02x}; {}", code, kExpected));
}

// Whether the buffer has this many more bytes now.
bool PickleSteps::fill(std::size_t bytes) {
  while (buffer_.size() - at_ < bytes) {
    auto more = more_();
    if (!more) {
      error_ = more.error();
      return false;
    }
    if (more->empty()) {
      return fail(fmt::format("the file ends within this operation, after {} bytes",
                              before_ + buffer_.size()));
    }
    before_ += at_;
    buffer_.erase(0, at_);
    at_ = 0;
    buffer_ += *more;
  }
  return true;
}

inline bool PickleSteps::take_unsigned(std::size_t bytes, std::uint64_t& value) {
  if (!have(bytes)) return false;
  value = 0;
  if (std::endian::native == std::endian::little && bytes > 0 && buffer_.size() - at_ >= 8) {
    std::memcpy(&value, buffer_.data() + at_, 8);
    value &= ~std::uint64_t{0} >> (64 - 8 * bytes);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= std::uint64_t{static_cast<std::uint8_t>(buffer_[at_ + i])} << (8 * i);
    }
  }
  at_ += bytes;
  return true;
}

inline bool PickleSteps::take_integer(std::size_t bytes, PickleStep& step) {
  std::uint64_t value = 0;
  if (!take_unsigned(bytes, value)) return false;
  step.integer = static_cast<std::int64_t>(value);
  return true;
}

bool PickleSteps::skip(std::uint64_t bytes) {
  while (bytes > 0) {
    if (!have(1)) return false;
    const std::uint64_t now = std::min<std::uint64_t>(bytes, buffer_.size() - at_);
    at_ += now;
    bytes -= now;
  }
  return true;
}

bool PickleSteps::take_text(std::size_t length_bytes, PickleStep& step) {
  std::uint64_t length = 0;
  if (!take_unsigned(length_bytes, length)) return false;
  const std::size_t kept = std::min<std::uint64_t>(length, kLongestPickledText);
  if (!have(kept)) return false;
  step.op = PickleOp::kText;
  step.text = std::string_view(buffer_).substr(at_, kept);
  at_ += kept;
  if (length == kept) return true;
  // Skipping reads into the buffer that the text is in.
  const std::string text(step.text);
  if (!skip(length - kept)) return false;
  before_ += at_;
  buffer_.replace(0, at_, text);
  before_ -= text.size();
  at_ = text.size();
  step.text = std::string_view(buffer_).substr(0, at_);
  return true;
}

bool PickleSteps::take_bytes(std::size_t length_bytes, PickleStep& step) {
  std::uint64_t length = 0;
  step.op = PickleOp::kOther;
  return take_unsigned(length_bytes, length) && skip(length);
}

// Two's complement, the lowest byte first.
bool PickleSteps::take_long(std::size_t length_bytes, PickleStep& step) {
  std::uint64_t length = 0;
  if (!take_unsigned(length_bytes, length)) return false;
  if (length > 8) {
    step.op = PickleOp::kOther;
    return skip(length);
  }
  step.op = PickleOp::kInteger;
  std::uint64_t value = 0;
  if (!take_unsigned(length, value)) return false;
  const unsigned missing = 64 - 8 * static_cast<unsigned>(length);
  step.integer = length == 0 ? 0 : static_cast<std::int64_t>(value << missing) >> missing;
  return true;
}

bool PickleSteps::start() {
  started_ = true;
  std::uint64_t code = 0, protocol = 0;
  if (!take_unsigned(1, code)) return false;
  if (code != kProtocolCode) {
    return fail(
        fmt::format("it begins with 0x{:02x}; expected a pickle of protocol 2 to 5, which "
                    "begins with 0x80",
                    code));
  }
  if (!take_unsigned(1, protocol)) return false;
  if (protocol >= 2 && protocol <= 5) return true;
  return fail(fmt::format("a pickle of protocol {}; expected 2 to 5", protocol));
}

bool PickleSteps::next(PickleStep& step) {
  operation_ = before_ + at_;
  if (!started_ && !start()) return false;
  while (true) {
    operation_ = before_ + at_;
    if (!have(1)) return false;
    const auto code = static_cast<std::uint8_t>(buffer_[at_++]);
    constexpr std::uint8_t kFrame = 0x95;  // only says how far a reader may read ahead
    if (code != kFrame) {
      step.offset = operation_;
      return read(code, step);
    }
    if (!have(8)) return false;
    at_ += 8;
  }
}

bool PickleSteps::read(std::uint8_t code, PickleStep& step) {
  const Encoding encoding = kEncodingOf[code];
  step.op = encoding.op;
  switch (encoding.argument) {
    case Argument::kUnknown:
      return refuse(code);
    case Argument::kNone:
      return true;
    case Argument::kMembers:
      step.integer = encoding.bytes;
      return true;
    case Argument::kUnsigned:
      return take_integer(encoding.bytes, step);
    case Argument::kSigned: {
      if (!take_integer(4, step)) return false;
      step.integer = static_cast<std::int32_t>(step.integer);
      return true;
    }
    case Argument::kLong:
      return take_long(encoding.bytes, step);
    case Argument::kText:
      return take_text(encoding.bytes, step);
    case Argument::kBytes:
      return take_bytes(encoding.bytes, step);
    case Argument::kSkip:
      return skip(encoding.bytes);
  }
  return false;
}

}  // namespace sweepd::trace
