#include "workloads/dist/fully_sharded.h"

#include <c10/core/Allocator.h>
#include <c10/core/GradMode.h>

#include <utility>

#include "workloads/dist/communication_queue.h"
#include "workloads/dist/named_operation.h"

namespace sweepd {
namespace {

// Replaces the tensor's storage, and so that of every view of it, by new memory of `bytes`, and
// frees the old.
void set_memory(const at::Tensor& tensor, std::size_t bytes) {
  c10::Storage storage = tensor.storage();
  storage.set_data_ptr_noswap(c10::GetAllocator(tensor.device().type())->allocate(bytes));
  storage.set_nbytes(bytes);
}

bool has_memory(const at::Tensor& tensor) {
  return tensor.storage().nbytes() > 0;
}

}  // namespace

FullySharded::FullySharded(Overlap overlap, Collectives& collectives, Device& device,
                           ExposedClock& clock)
    : overlap_(overlap),
      collectives_(collectives),
      clock_(clock),
      queue_(overlap == Overlap::kOn ? make_communication_queue(collectives, device)
                                     : make_in_place_queue(collectives, device)) {}

FullySharded::~FullySharded() = default;

void FullySharded::add_unit(std::span<const NamedTensor> parameters) {
  const c10::NoGradGuard no_grad;
  FlatGroup group(tensors_of(parameters), collectives_.rank(), collectives_.world_size());
  const at::Tensor flat = at::empty({group.numel()}, group.options());
  group.move_into(flat);
  collectives_.broadcast(flat, 0);
  const at::Tensor part = group.part(flat).clone();
  const std::size_t index = units_.size();
  auto hooks = std::make_unique<ReadyHooks>(group.parameters(),
                                            [this, index](std::size_t) { on_ready(index); });
  set_memory(flat, 0);
  Unit& unit = units_.emplace_back(Unit{std::move(group), flat, part});
  unit.hooks = std::move(hooks);
}

void FullySharded::make_optimizer(AdamWKind kind, const AdamWOptions& options) {
  optimizer_ = std::make_unique<AdamW>(kind, options, parts());
}

void FullySharded::begin_step() {
  sent_.clear();
}

std::shared_ptr<Pending> FullySharded::send(const char* name,
                                            std::function<void(Collectives&)> operation) {
  // An in-place queue makes the work wait from here on; a parallel one returns at once.
  clock_.wait(
      [&] { sent_.push_back(queue_->submit(named_operation(name, std::move(operation)))); });
  return sent_.back();
}

void FullySharded::request(std::size_t index) {
  Unit& unit = units_[index];
  if (unit.gather != nullptr) return;
  set_memory(unit.flat, static_cast<std::size_t>(unit.group.numel()) * unit.flat.itemsize());
  unit.gather = send(
      "collective::all_gather",
      [flat = unit.flat, part = unit.part](Collectives& ranks) { ranks.all_gather(flat, part); });
}

void FullySharded::gather(std::size_t index, std::optional<std::size_t> next) {
  request(index);
  if (overlap_ == Overlap::kOn && next) request(*next);
  clock_.wait([&] { units_[index].gather->wait(); });
}

void FullySharded::free_weights(Unit& unit) {
  set_memory(unit.flat, 0);
  unit.gather = nullptr;
}

void FullySharded::before(std::size_t unit) {
  const bool last = unit + 1 == units_.size();
  gather(unit, last ? std::nullopt : std::optional(unit + 1));
}

void FullySharded::after(std::size_t unit, const at::Tensor& output) {
  if (unit + 1 < units_.size()) free_weights(units_[unit]);
  if (!output.requires_grad()) return;
  output.register_hook([this, unit](const at::Tensor&) { before_backward(unit); });
}

void FullySharded::before_backward(std::size_t unit) {
  const c10::NoGradGuard no_grad;
  if (unit == 0) return;  // the gradient of a lookup needs no weights
  gather(unit, unit > 1 ? std::optional(unit - 1) : std::nullopt);
}

void FullySharded::on_ready(std::size_t index) {
  Unit& unit = units_[index];
  if (++unit.ready < unit.group.parameters().size()) return;
  unit.ready = 0;
  // While one unit's gradients are sent, the next unit fills its buffer, and no more than that.
  if (reducing_) end_reduce(units_[*reducing_]);
  reduce(unit);
  reducing_ = index;
}

void FullySharded::reduce(Unit& unit) {
  const c10::NoGradGuard no_grad;
  unit.gradients = at::empty({unit.group.numel()}, unit.group.options());
  unit.group.take_gradients(unit.gradients, 1.0 / collectives_.world_size());
  if (has_memory(unit.flat)) free_weights(unit);
  unit.part_gradient = at::empty_like(unit.part);
  unit.reduce = send("collective::reduce_scatter",
                     [mine = unit.part_gradient, all = unit.gradients](Collectives& ranks) {
                       ranks.reduce_scatter(mine, all);
                     });
}

// The whole gradients live until the current stream has waited for the operations that read them.
void FullySharded::end_reduce(Unit& unit) {
  if (unit.reduce == nullptr) return;
  clock_.wait([&] { unit.reduce->wait(); });
  unit.reduce = nullptr;
  unit.gradients.reset();
}

void FullySharded::finish() {
  for (Unit& unit : units_) {
    end_reduce(unit);
    unit.part.mutable_grad() = std::move(unit.part_gradient);
  }
  reducing_.reset();
}

void FullySharded::update() {
  optimizer_->step();
}

double FullySharded::communication_ms() const {
  double sum = 0;
  for (const auto& pending : sent_) sum += pending->elapsed_ms();
  return sum;
}

std::vector<at::Tensor> FullySharded::parts() const {
  std::vector<at::Tensor> parts;
  for (const Unit& unit : units_) parts.push_back(unit.part);
  return parts;
}

std::vector<at::Tensor> FullySharded::whole(std::size_t index) {
  const FlatGroup& group = units_[index].group;
  const at::Tensor flat = at::empty({group.numel()}, group.options());
  collectives_.all_gather(flat, units_[index].part);
  return group.views(flat);
}

}  // namespace sweepd
