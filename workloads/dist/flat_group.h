// Parameters laid end to end in one flat tensor whose length the world size divides, so that every
// rank can own an equal part of it: what sharding moves and updates in one piece.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace sweepd {

class FlatGroup {
 public:
  // The parameters are of one type and device; there is at least one. Throws std::invalid_argument
  // otherwise.
  FlatGroup(std::vector<at::Tensor> parameters, int rank, int world_size);

  std::int64_t numel() const { return numel_; }  // with the padding, fewer than world size numbers
  std::int64_t part_numel() const { return part_numel_; }
  at::TensorOptions options() const;

  // Of a flat tensor of numel() numbers: this rank's part, and a view in each parameter's shape.
  at::Tensor part(const at::Tensor& flat) const;
  std::vector<at::Tensor> views(const at::Tensor& flat) const;

  // Moves the parameters into `flat`, whose padding becomes zero: from now on they are views of
  // its storage. Whoever holds a parameter sees the move, and its own storage is freed.
  void move_into(const at::Tensor& flat);

  // Fills `flat` with the gradients times `factor`, the padding and what is absent with zeros, and
  // sets the gradients to none one after the other, so that few are there twice.
  void take_gradients(const at::Tensor& flat, double factor);

  const std::vector<at::Tensor>& parameters() const { return parameters_; }

 private:
  at::Tensor padding(const at::Tensor& flat) const;

  std::vector<at::Tensor> parameters_;
  int rank_;
  std::int64_t used_ = 0;  // numbers before the padding
  std::int64_t part_numel_ = 0, numel_ = 0;
};

}  // namespace sweepd
