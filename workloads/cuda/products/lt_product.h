// One shape of matrix product, as cuBLASLt computes it.
#pragma once

#include <cublasLt.h>
#include "workloads/torch/aten.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace sweepd {

// Whether cuBLASLt is loaded, which this library does not link.
bool has_cublas_lt();
std::string cublas_lt_version();  // "130100"

// All that the choice of an algorithm for c [m, n] = a [m, k] b [k, n] depends on. c is contiguous.
struct ProductShape {
  at::ScalarType type = at::kFloat;  // fp32, fp16 or bf16
  bool tf32 = false;
  // An operand is stored by rows, or `transposed` by columns, `stride` elements apart.
  bool a_transposed = false, b_transposed = false;
  std::int64_t m = 0, n = 0, k = 0, a_stride = 0, b_stride = 0;
  std::uint32_t alignment = 0;  // of all pointers, bytes, at most 256
  auto operator<=>(const ProductShape&) const = default;
};

// Its descriptors are never destroyed: a copy of it lives as long as the process. Calls throw
// std::runtime_error with the product's name for what cuBLASLt refuses.
class LtProduct {
 public:
  explicit LtProduct(const ProductShape& shape);

  const std::string& name() const { return name_; }  // "bf16:nt:2048x2560x2560:2560,2560:256"
  // At most 16, cuBLASLt's best guess first.
  std::vector<cublasLtMatmulAlgo_t> proposals() const;
  bool can_run(const cublasLtMatmulAlgo_t& algorithm) const;
  // Enqueues on the current stream, with torch's cuBLAS workspace of that stream. Returns whether
  // cuBLASLt took it.
  bool try_run(const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b, void* c) const;
  void run(const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b, void* c) const;

 private:
  cublasStatus_t enqueue(const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b,
                         void* c) const;
  void check(cublasStatus_t status, const char* call) const;
  void transpose(cublasLtMatmulDescAttributes_t which, bool transposed);
  cublasLtMatrixLayout_t layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns,
                                std::int64_t stride, bool transposed) const;

  std::string name_;
  std::uint32_t alignment_ = 0;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

}  // namespace sweepd
