#include "runner/worker/failure_ending.h"

#include <exception>
#include <new>
#include <string_view>

#include "workloads/api/crash.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

// LibTorch appends the C++ call stack, but the note of a table cell needs only the error. The log
// has the whole text.
std::string without_stack(std::string_view message) {
  constexpr std::size_t kLongest = 4000;
  message = message.substr(0, message.find("\nException raised from "));
  return std::string(message.substr(0, kLongest));
}

}  // namespace

Ending ending_of_current_exception(Device* device, Bytes limit, const std::string& phase) {
  try {
    if (device != nullptr) device->rethrow_out_of_memory();
    throw;
  } catch (const OutOfMemory& e) {
    return {Oom{e.requested, e.in_use, e.limit.value > 0 ? e.limit : limit, phase}};
  } catch (const Unavailable& e) {
    return {Skipped{e.what()}};
  } catch (const Crash& e) {
    return {Crashed{e.signal, std::nullopt, phase}};
  } catch (const std::bad_alloc&) {
    // Host memory ran out. Its allocator does not report the requested size.
    return {Oom{{}, device != nullptr ? device->memory().allocated : Bytes{}, limit, phase}};
  } catch (const std::exception& e) {
    return {Failed{without_stack(e.what()), phase}};
  } catch (...) {
    return {Failed{"threw something that is not a std::exception", phase}};
  }
}

}  // namespace sweepd
