#include "workloads/torch/operator_name.h"

#include <ATen/record_function.h>

#include <memory>
#include <vector>

namespace sweepd {
namespace {

thread_local std::vector<const char*> running;

std::unique_ptr<at::ObserverContext> push(const at::RecordFunction& function) {
  running.push_back(function.name());
  return nullptr;
}

// An operator that began before the callback existed ends without having been pushed.
void pop(const at::RecordFunction&, at::ObserverContext*) {
  if (!running.empty()) running.pop_back();
}

}  // namespace

OperatorNames::OperatorNames() {
  running.clear();
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(&push, &pop)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

OperatorNames::~OperatorNames() {
  at::removeCallback(handle_);
}

std::string_view OperatorNames::current() {
  return running.empty() ? std::string_view() : running.back();
}

}  // namespace sweepd
