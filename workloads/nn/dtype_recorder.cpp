#include "workloads/nn/dtype_recorder.h"

#include <algorithm>
#include <cassert>

#include "workloads/nn/dtype_names.h"

namespace sweepd {
namespace {

thread_local DtypeRecorder* active = nullptr;

at::ScalarType floating_type_of(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return at::ScalarType::Undefined;
  const at::ScalarType type = value.toTensor().scalar_type();
  return at::isFloatingType(type) ? type : at::ScalarType::Undefined;
}

void add_all(DtypeSet& set, const c10::IValue& list) {
  if (list.isTensorList()) {
    for (const at::Tensor& tensor : list.toTensorVector()) set.add(tensor.scalar_type());
  } else if (list.isList()) {
    for (const c10::IValue& value : list.toListRef()) {
      const at::ScalarType type = floating_type_of(value);
      if (type != at::ScalarType::Undefined) set.add(type);
    }
  }
}

}  // namespace

void DtypeSet::add(at::ScalarType type) {
  const std::string name = dtype_name(type);
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
}

std::string DtypeSet::text() const {
  std::string text;
  for (const std::string& name : names_) text += (text.empty() ? "" : ", ") + name;
  return text;
}

DtypeRecorder::DtypeRecorder() {
  assert(active == nullptr);
  active = this;
  add_range_observer(*this);
  handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&begun, &ended)
                                           .needsInputs(true)
                                           .needsOutputs(true)
                                           .scopes({at::RecordScope::FUNCTION}));
}

DtypeRecorder::~DtypeRecorder() {
  at::removeCallback(handle_);
  remove_range_observer(*this);
  active = nullptr;
}

std::vector<std::pair<std::string, std::string>> DtypeRecorder::ranges() const {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, set] : ranges_) texts.emplace_back(name, set.text());
  return texts;
}

void DtypeRecorder::push(std::string_view name) {
  open_.push_back({std::string(name)});
}

void DtypeRecorder::pop() {
  const Open range = std::move(open_.back());
  open_.pop_back();
  if (range.last == at::ScalarType::Undefined) return;
  auto found = std::find_if(ranges_.begin(), ranges_.end(),
                            [&](const auto& entry) { return entry.first == range.name; });
  if (found == ranges_.end()) found = ranges_.insert(ranges_.end(), {range.name, {}});
  found->second.add(range.last);
}

std::unique_ptr<at::ObserverContext> DtypeRecorder::begun(const at::RecordFunction& function) {
  if (active != nullptr) active->update(function);
  return nullptr;
}

void DtypeRecorder::ended(const at::RecordFunction& function, at::ObserverContext*) {
  if (active != nullptr) active->finished(function);
}

// An operation consists of others, which end before it does, so the last result in a range is that
// of the outermost one.
void DtypeRecorder::finished(const at::RecordFunction& function) {
  const auto outputs = function.outputs();
  if (outputs.empty()) return;
  const at::ScalarType type = floating_type_of(outputs.front());
  if (type == at::ScalarType::Undefined) return;
  if (!open_.empty()) {
    open_.back().last = type;
  } else if (std::string_view(function.name()) == "aten::add") {
    residual_stream_.add(type);
  }
}

// _fused_adamw_(self, grads, exp_avgs, exp_avg_sqs, ...) is read when it begins, because it may be
// the last operation that sees the gradients.
void DtypeRecorder::update(const at::RecordFunction& function) {
  if (std::string_view(function.name()) != "aten::_fused_adamw_") return;
  const auto inputs = function.inputs();
  if (inputs.size() < 4) return;
  add_all(parameters_, inputs[0]);
  add_all(gradients_, inputs[1]);
  add_all(optimizer_state_, inputs[2]);
  add_all(optimizer_state_, inputs[3]);
}

}  // namespace sweepd
