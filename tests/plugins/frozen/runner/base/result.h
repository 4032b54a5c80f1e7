// Result<T>: a value or the reason why there is none. For failures that a caller is expected to
// handle (a missing file, a wrong value). Bugs assert, and exceptions stay inside workloads and
// transactions. Not thread-safe; allocates nothing itself.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace sweepd {

// The kinds of failure that callers can distinguish. docs/PROTOCOL.md lists the
// JSON-RPC code of each and docs/TASKS.md the exit code.
enum class ErrorCode {
  kInvalidArgument,     // the request itself is wrong; repeating it cannot help
  kNotFound,            // no such sweep, trial, attempt, workload ...
  kAlreadyExists,       // another process holds it (a second daemon on one state folder)
  kFailedPrecondition,  // valid request at the wrong time (cancel of a finished sweep)
  kResourceExhausted,   // a documented limit was reached (message size, clients, query time)
  kUnavailable,         // the other side does not exist or disappeared
  kIo,                  // the operating system failed; the message has errno's text
  kInternal,            // a bug; please report
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // names the thing, the value and the expected form; no trailing newline
};

// Not a variant: with one GCC takes a tenth longer for the daemon.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  T& value() & { return assert(ok()), *value_; }
  const T& value() const& { return assert(ok()), *value_; }
  T&& value() && { return assert(ok()), *std::move(value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return assert(!ok()), error_; }

 private:
  std::optional<T> value_;
  Error error_;
};

// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return assert(!ok()), *error_; }

 private:
  std::optional<Error> error_;
};

}  // namespace sweepd
