#include "workloads/dist/flat_group.h"

#include <c10/core/GradMode.h>

#include <stdexcept>
#include <utility>

namespace sweepd {

FlatGroup::FlatGroup(std::vector<at::Tensor> parameters, int rank, int world_size)
    : parameters_(std::move(parameters)), rank_(rank) {
  if (parameters_.empty()) throw std::invalid_argument("a flat group needs a parameter");
  for (const at::Tensor& parameter : parameters_) {
    if (parameter.scalar_type() != parameters_[0].scalar_type() ||
        parameter.device() != parameters_[0].device()) {
      throw std::invalid_argument("the parameters of a flat group have one type and device");
    }
    used_ += parameter.numel();
  }
  part_numel_ = (used_ + world_size - 1) / world_size;
  numel_ = part_numel_ * world_size;
}

at::TensorOptions FlatGroup::options() const {
  return parameters_[0].options().requires_grad(false);
}

at::Tensor FlatGroup::part(const at::Tensor& flat) const {
  return flat.narrow(0, rank_ * part_numel_, part_numel_);
}

std::vector<at::Tensor> FlatGroup::views(const at::Tensor& flat) const {
  std::vector<at::Tensor> views;
  std::int64_t offset = 0;
  for (const at::Tensor& parameter : parameters_) {
    views.push_back(flat.narrow(0, offset, parameter.numel()).view(parameter.sizes()));
    offset += parameter.numel();
  }
  return views;
}

at::Tensor FlatGroup::padding(const at::Tensor& flat) const {
  return flat.narrow(0, used_, numel_ - used_);
}

void FlatGroup::move_into(const at::Tensor& flat) {
  const c10::NoGradGuard no_grad;
  padding(flat).zero_();
  const std::vector<at::Tensor> places = views(flat);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    places[i].copy_(parameters_[i]);
    // Has its own version counter: when the flat tensor is filled again, autograd must not see
    // a change of a tensor that it saved.
    parameters_[i].set_data(places[i].variable_data());
  }
}

void FlatGroup::take_gradients(const at::Tensor& flat, double factor) {
  const c10::NoGradGuard no_grad;
  padding(flat).zero_();
  std::vector<at::Tensor> places = views(flat);
  const at::Tensor scalar = at::scalar_tensor(factor);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& gradient = parameters_[i].mutable_grad();
    if (gradient.defined()) {
      at::mul_out(places[i], gradient, scalar);
      gradient.reset();
    } else {
      places[i].zero_();
    }
  }
}

}  // namespace sweepd
