#include "runner/trace/operator_calls.h"

#include <charconv>

namespace sweepd::trace {
namespace {

// ";a;b" is a, b.
std::vector<std::string_view> parts_of(std::string_view texts, char separator) {
  std::vector<std::string_view> parts;
  while (!texts.empty()) {
    texts.remove_prefix(1);
    parts.push_back(texts.substr(0, texts.find(separator)));
    texts.remove_prefix(parts.back().size());
  }
  return parts;
}

// Types and values may be missing; else there is one of each input.
std::optional<std::vector<OperatorInput>> inputs_of(const InputTexts& texts) {
  const auto dims = parts_of(texts.dims, ';');
  const auto types = parts_of(texts.types, ';'), values = parts_of(texts.values, ';');
  if (texts.lost || dims.empty() || types.size() != dims.size()) return std::nullopt;
  std::vector<OperatorInput> inputs(dims.size());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    for (const std::string_view text : parts_of(dims[i], ',')) {
      std::int64_t dim = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
      if (error != std::errc() || end != text.data() + text.size() || dim < 0) return std::nullopt;
      inputs[i].dims.push_back(dim);
    }
    inputs[i].type = types[i];
    if (values.size() == dims.size()) inputs[i].value = values[i];
  }
  return inputs;
}

}  // namespace

std::int32_t OperatorCalls::work_of(std::string_view name, NameId id, const InputTexts& inputs) {
  if (inputs.dims.empty()) return -1;
  if (from_.size() <= id) from_.resize(id + 1);
  if (!from_[id]) from_[id] = work_from(name);
  if (from_[id] == WorkFrom::kUnknown) return -1;
  call_.assign(name).append(inputs.dims).append(inputs.types);
  if (from_[id] == WorkFrom::kShapesAndValues) call_.append(inputs.values);
  if (const auto found = known_.find(call_); found != known_.end()) return found->second;
  if (known_bytes_ + call_.size() > kMostBytes) return -1;
  std::int32_t index = -1;
  const auto parsed = inputs_of(inputs);
  if (const auto work = parsed ? operator_work(name, *parsed) : std::nullopt) {
    index = static_cast<std::int32_t>(work_.size());
    work_.push_back(*work);
  }
  known_.emplace(call_, index);
  known_bytes_ += call_.size();
  return index;
}

}  // namespace sweepd::trace
