// LinearKernels of CUDA: products by cuBLASLt with a tuned algorithm, and a second stream.
#include <ATen/cuda/CUDAContextLight.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <fmt/format.h>
#include "workloads/torch/aten.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "runner/base/started_as.h"
#include "workloads/cuda/cuda_timeline.h"
#include "workloads/cuda/products/lt_product.h"
#include "workloads/linear/linear.h"

namespace sweepd {
namespace {

constexpr int kTimedRuns = 5;

// A matrix whose rows are adjacent, or `transposed` its columns, `stride` elements apart.
struct Operand {
  at::Tensor tensor;
  bool transposed = false;
  std::int64_t stride = 0;
};

Operand operand_of(const at::Tensor& tensor) {
  const auto fits = [&](int across, int along) {
    return (tensor.stride(along) == 1 || tensor.size(along) == 1) &&
           (tensor.stride(across) >= tensor.size(along) || tensor.size(across) == 1);
  };
  if (fits(0, 1)) return {tensor, false, std::max(tensor.stride(0), tensor.size(1))};
  if (fits(1, 0)) return {tensor, true, std::max(tensor.stride(1), tensor.size(0))};
  return {tensor.contiguous(), false, tensor.size(1)};
}

ProductShape shape_of(const Operand& a, const Operand& b, const at::Tensor& c) {
  ProductShape shape;
  shape.type = c.scalar_type();
  shape.tf32 = shape.type == at::kFloat && at::globalContext().allowTF32CuBLAS();
  shape.a_transposed = a.transposed;
  shape.b_transposed = b.transposed;
  shape.m = c.size(0);
  shape.n = c.size(1);
  shape.k = a.tensor.size(1);
  shape.a_stride = a.stride;
  shape.b_stride = b.stride;
  const auto address = [](const at::Tensor& of) {
    return reinterpret_cast<std::uintptr_t>(of.data_ptr());
  };
  const std::uintptr_t bits = address(a.tensor) | address(b.tensor) | address(c) | 256;
  shape.alignment = static_cast<std::uint32_t>(bits & -bits);
  return shape;
}

std::optional<cublasLtMatmulAlgo_t> algorithm_of(const std::string& text) {
  cublasLtMatmulAlgo_t algorithm{};
  return read_algorithm(text, algorithm.data) ? std::optional(algorithm) : std::nullopt;
}

// Times a product on its own tensors. All algorithms write the same result.
class ProductTrials final : public ProductAlgorithms {
 public:
  ProductTrials(const LtProduct& product, const void* a, const void* b, void* c)
      : product_(product), a_(a), b_(b), c_(c) {}

  std::vector<std::string> proposals() override {
    if (c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None) {
      throw std::runtime_error(fmt::format(
          "products: `tuned`: {} is first computed while a CUDA graph is captured, where nothing "
          "can be timed; expected a warm-up step with the same shapes",
          product_.name()));
    }
    // Work of other streams would disturb the times.
    check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::vector<std::string> texts;
    for (const auto& algorithm : product_.proposals())
      texts.push_back(algorithm_text(algorithm.data));
    return texts;
  }

  bool usable(const std::string& text) override {
    const auto algorithm = algorithm_of(text);
    return algorithm && product_.can_run(*algorithm);
  }

  std::optional<double> time_us(const std::string& text) override {
    const auto algorithm = algorithm_of(text);
    const auto runs = [&] { return algorithm && product_.try_run(*algorithm, a_, b_, c_); };
    if (!runs()) return std::nullopt;
    at::cuda::CUDAEvent begin(cudaEventDefault), end(cudaEventDefault);
    at::cuda::sleep(600'000);  // 0.3 ms, in which the host enqueues the runs
    begin.record();
    for (int i = 0; i < kTimedRuns; ++i) {
      if (!runs()) return std::nullopt;
    }
    end.record();
    end.synchronize();
    return 1e3 * static_cast<double>(begin.elapsed_time(end)) / kTimedRuns;
  }

 private:
  const LtProduct& product_;
  const void* a_;
  const void* b_;
  void* c_;
};

// The products of one GPU. The threads of forward and backward use it.
class DeviceProducts {
 public:
  explicit DeviceProducts(int device)
      : tuner_(products_file(
            cache_folder(),
            at::cuda::getDeviceProperties(static_cast<c10::DeviceIndex>(device))->name,
            cublas_lt_version())) {}

  void multiply(at::Tensor& c, const Operand& a, const Operand& b) {
    const ProductShape shape = shape_of(a, b, c);
    const void *a_data = a.tensor.data_ptr(), *b_data = b.tensor.data_ptr();
    const std::lock_guard lock(mutex_);
    auto found = tuned_.find(shape);
    if (found == tuned_.end()) {
      const LtProduct product(shape);
      ProductTrials trials(product, a_data, b_data, c.data_ptr());
      const ProductChoice& choice = tuner_.choose(product.name(), trials);
      found = tuned_.emplace(shape, Tuned{product, *algorithm_of(choice.algorithm)}).first;
    }
    found->second.product.run(found->second.algorithm, a_data, b_data, c.data_ptr());
  }

  TunedProducts used() {
    const std::lock_guard lock(mutex_);
    return tuner_.used();
  }

 private:
  struct Tuned {
    LtProduct product;
    cublasLtMatmulAlgo_t algorithm;
  };
  std::mutex mutex_;
  ProductTuner tuner_;
  std::map<ProductShape, Tuned> tuned_;
};

DeviceProducts& products_of(int device) {
  static std::mutex mutex;
  static auto* const all = new std::map<int, DeviceProducts>;  // never destroyed, as descriptors
  const std::lock_guard lock(mutex);
  return all->try_emplace(device, device).first->second;
}

void multiply(at::Tensor& c, const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.scalar_type() == c.scalar_type() && b.scalar_type() == c.scalar_type(),
              "products: `tuned`: operands of one type are expected, not ", a.scalar_type(),
              " and ", b.scalar_type(), " for ", c.scalar_type());
  const c10::cuda::CUDAGuard guard(c.device());
  products_of(c.device().index()).multiply(c, operand_of(a), operand_of(b));
}

TunedProducts used_products() {
  return products_of(c10::cuda::current_device()).used();
}

// The same stream each time: torch keeps a workspace for each stream that computes products.
c10::cuda::CUDAStream second_stream(c10::DeviceIndex device) {
  static std::mutex mutex;
  static std::map<c10::DeviceIndex, c10::cuda::CUDAStream> streams;
  const std::lock_guard lock(mutex);
  auto found = streams.find(device);
  if (found == streams.end()) {
    found = streams.emplace(device, c10::cuda::getStreamFromPool(false, device)).first;
  }
  return found->second;
}

// Forks and joins by events, which a capture records, too.
void both(at::Device device, const std::function<void()>& first,
          const std::function<void()>& second) {
  const c10::cuda::CUDAGuard guard(device);
  const c10::cuda::CUDAStream current = c10::cuda::getCurrentCUDAStream();
  const c10::cuda::CUDAStream other = second_stream(device.index());
  at::cuda::CUDAEvent fork, join;
  fork.record(current);
  fork.block(other);
  first();
  {
    const c10::cuda::CUDAStreamGuard on_other(other);
    second();
    join.record(other);
  }
  join.block(current);
}

}  // namespace
}  // namespace sweepd

extern "C" __attribute__((visibility("default"))) const sweepd::LinearKernels*
sweepd_cuda_linear_kernels() {
  static constexpr sweepd::LinearKernels kKernels{sweepd::multiply, sweepd::both,
                                                  sweepd::used_products};
  return sweepd::has_cublas_lt() ? &kKernels : nullptr;
}
