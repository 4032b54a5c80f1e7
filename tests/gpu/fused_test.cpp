// Compares the fused operations on a GPU with the same on the CPU, and a training step with all of
// them with one without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>

#include "tests/gpu/cuda_fixture.h"
#include "workloads/fused/fused.h"
#include "workloads/nn/rotary.h"

namespace sweepd {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;
using Tensors = std::vector<at::Tensor>;

class CudaFused : public CudaFixture {
 protected:
  static Tensors run(const std::function<at::Tensor(const Tensors&)>& operation,
                     const Tensors& inputs, at::Device device) {
    Tensors leaves;
    for (const at::Tensor& input : inputs) {
      leaves.push_back(input.detach().to(device).requires_grad_());
    }
    const at::Tensor output = operation(leaves);
    at::manual_seed(5);
    const at::Tensor seed = at::randn(output.sizes()).to(output.scalar_type()).to(device);
    Tensors all = torch::autograd::grad({output}, leaves, {seed});
    all.push_back(output.detach());
    return all;
  }
  static void compare(const std::function<at::Tensor(const Tensors&)>& operation,
                      const Tensors& inputs, double allowed) {
    const Tensors cpu = run(operation, inputs, at::kCPU), gpu = run(operation, inputs, at::kCUDA);
    for (std::size_t i = 0; i < cpu.size(); ++i) {
      const at::Tensor wanted = cpu[i].to(at::kDouble), got = gpu[i].cpu().to(at::kDouble);
      const at::Tensor error = (got - wanted).abs() - allowed * wanted.abs();
      EXPECT_LE(error.max().item<double>(), allowed) << i << " " << inputs[0].scalar_type();
    }
  }
};

TEST_F(CudaFused, OperationsAgreeWithTheCpu) {
  at::manual_seed(3);
  for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16}) {
    const double allowed = type == at::kFloat ? 1e-4 : 0.02;
    const at::Tensor x = at::randn({300, 768}).to(type), w = (at::rand({768}) + 0.5).to(type);
    compare([&](const Tensors& t) { return fused_norm(t[0], t[1], 1e-5, type); }, {x, w}, allowed);
    compare([](const Tensors& t) { return fused_gate(t[0]); }, {x}, allowed);
    compare([](const Tensors& t) { return fused_gate(t[0], t[1]); }, {x, x * 2}, allowed);
    const at::Tensor heads = at::randn({2, 33, 3, 4, 80}).to(type);
    compare(
        [](const Tensors& t) {
          const RotaryTables tables = rotary_tables(Rotary(33, 80, t[0].device()).table());
          return fused_rotary(t[0].select(2, 1), tables.cosines, tables.sines);
        },
        {heads}, allowed);
  }
}

// More tensors than a launch takes, with both types of gradients.
TEST_F(CudaFused, AdamWOfManyTensorsAgreesWithTheCpu) {
  at::manual_seed(4);
  const FusedAdamWStep step{0.01, 0.9, 0.999, 1e-8, 0.1};
  std::vector<FusedAdamWTensors> cpu, gpu;
  for (std::int64_t i = 0; i < 200; ++i) {
    const std::int64_t count = 1 + i * i;
    const at::ScalarType type = i % 3 == 0 ? at::kFloat : at::kBFloat16;
    cpu.push_back({at::randn({count}), at::randn({count}).to(type), at::randn({count}),
                   at::rand({count}),
                   type == at::kFloat ? at::Tensor() : at::zeros({count}, at::dtype(type))});
    const FusedAdamWTensors& of = cpu.back();
    gpu.push_back({of.p.cuda(), of.g.cuda(), of.m.cuda(), of.v.cuda(),
                   of.copy.defined() ? of.copy.cuda() : at::Tensor()});
  }
  const at::Tensor updates = at::full({}, 2.0, at::kFloat);
  fused_kernels(at::kCPU).adamw(cpu, updates, step);
  fused_kernels(at::Device(at::kCUDA, 0)).adamw(gpu, updates.cuda(), step);
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    EXPECT_TRUE(at::allclose(gpu[i].p.cpu(), cpu[i].p, 1e-4, 1e-5)) << i;
    EXPECT_TRUE(at::allclose(gpu[i].m.cpu(), cpu[i].m, 1e-5, 1e-6)) << i;
    EXPECT_TRUE(at::allclose(gpu[i].v.cpu(), cpu[i].v, 1e-5, 1e-6)) << i;
    if (!cpu[i].copy.defined()) continue;
    EXPECT_TRUE(at::allclose(gpu[i].copy.cpu().to(at::kFloat), cpu[i].p, 0x1p-7, 1e-3)) << i;
  }
}

TEST_F(CudaFused, AStepWithAllFusionsTrainsAsOneWithout) {
  const auto losses = [&](Texts changes) {
    changes.emplace_back("precision", "bf16");
    return five_losses(changes);
  };
  const std::vector<double> plain = losses({});
  const Texts fused = {{"fused_norm", "on"}, {"fused_rotary", "on"}, {"fused_swiglu", "on"}};
  EXPECT_THAT(losses(fused), Pointwise(DoubleNear(0.05), plain));
  Texts kept = fused;
  kept.emplace_back("weight_copies", "kept");
  EXPECT_THAT(losses(kept), Pointwise(DoubleNear(0.05), plain));
  // A joint matrix has the same weights on every kind of device.
  kept.emplace_back("fused_linear", "on");
  EXPECT_THAT(losses(kept), Pointwise(DoubleNear(0.05), plain));
  kept.emplace_back("compile", "cuda_graph");
  EXPECT_THAT(losses(kept), Pointwise(DoubleNear(0.05), plain));
}

}  // namespace
}  // namespace sweepd
