// Parameters stored end to end in one flat tensor whose length is a multiple of the world size, so
// that every rank can own an equal part: sharding moves and updates it as one piece.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>
#include <vector>

namespace sweepd {

class FlatGroup {
 public:
  // The parameters have one type and device, and there is at least one; else throws
  // std::invalid_argument.
  FlatGroup(std::vector<at::Tensor> parameters, int rank, int world_size);

  std::int64_t numel() const { return numel_; }  // with padding, which is less than the world size
  std::int64_t part_numel() const { return part_numel_; }
  at::TensorOptions options() const;

  // For a flat tensor of numel() numbers: returns this rank's part, and a view in each parameter's
  // shape.
  at::Tensor part(const at::Tensor& flat) const;
  std::vector<at::Tensor> views(const at::Tensor& flat) const;

  // Moves the parameters into `flat`, whose padding becomes zero. From then on they are views of
  // its storage. All holders of a parameter see this, and its old storage is freed.
  void move_into(const at::Tensor& flat);

  // Fills `flat` with the gradients times `factor`, and the padding and missing gradients with
  // zeros. Resets the gradients one by one, so that few exist twice at a time.
  void take_gradients(const at::Tensor& flat, double factor);

  const std::vector<at::Tensor>& parameters() const { return parameters_; }

 private:
  at::Tensor padding(const at::Tensor& flat) const;

  std::vector<at::Tensor> parameters_;
  int rank_;
  std::int64_t used_ = 0;  // numbers that precede the padding
  std::int64_t part_numel_ = 0, numel_ = 0;
};

}  // namespace sweepd
