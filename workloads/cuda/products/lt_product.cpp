#include "workloads/cuda/products/lt_product.h"

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAStream.h>
#include <fmt/format.h>

#include <memory>
#include <shared_mutex>
#include <stdexcept>
#include <utility>

// libtorch_cuda.so loads libcublasLt.so. Weak: this library does not name it, so that it cannot
// load another one than LibTorch's.
#pragma weak cublasLtGetVersion
#pragma weak cublasLtMatmul
#pragma weak cublasLtMatmulAlgoCheck
#pragma weak cublasLtMatmulAlgoGetHeuristic
#pragma weak cublasLtMatmulDescCreate
#pragma weak cublasLtMatmulDescSetAttribute
#pragma weak cublasLtMatmulPreferenceCreate
#pragma weak cublasLtMatmulPreferenceDestroy
#pragma weak cublasLtMatmulPreferenceSetAttribute
#pragma weak cublasLtMatrixLayoutCreate

namespace sweepd {
namespace {

constexpr int kMostProposals = 16;

// Torch's workspace of cuBLAS for the current stream, 32 MiB on Hopper. Torch's own for cuBLASLt
// has 1 MiB, which would leave out algorithms that cuBLAS may take. Products of a stream take
// turns.
std::size_t workspace_size() {
  return at::cuda::getChosenWorkspaceSize();
}
void* workspace() {
  void* const handle = at::cuda::getCurrentCUDABlasHandle();  // makes sure that it is there
  void* const stream = c10::cuda::getCurrentCUDAStream().stream();
  at::cuda::WorkspaceMapWithMutex& all = at::cuda::cublas_handle_stream_to_workspace();
  const std::shared_lock lock(all.mutex);
  return all.map.at({handle, stream}).get();
}

// "bf16:nt:2048x2560x2560:2560,2560:256"
std::string name_of(const ProductShape& of) {
  const char* type = of.tf32 ? "tf32" : "fp32";
  if (of.type == at::kBFloat16) type = "bf16";
  if (of.type == at::kHalf) type = "fp16";
  return fmt::format("{}:{}{}:{}x{}x{}:{},{}:{}", type, of.a_transposed ? 't' : 'n',
                     of.b_transposed ? 't' : 'n', of.m, of.n, of.k, of.a_stride, of.b_stride,
                     of.alignment);
}

}  // namespace

bool has_cublas_lt() {
  return cublasLtMatmul != nullptr;
}

std::string cublas_lt_version() {
  return std::to_string(cublasLtGetVersion());
}

// cuBLASLt's columns are our rows, so it computes c^T = b^T a^T.
LtProduct::LtProduct(const ProductShape& shape)
    : name_(name_of(shape)), alignment_(shape.alignment) {
  cudaDataType_t type = CUDA_R_32F;
  if (shape.type == at::kBFloat16) type = CUDA_R_16BF;
  if (shape.type == at::kHalf) type = CUDA_R_16F;
  // As at::mm: sums in fp32.
  const auto arithmetic = shape.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  check(cublasLtMatmulDescCreate(&product_, arithmetic, CUDA_R_32F), "cublasLtMatmulDescCreate");
  transpose(CUBLASLT_MATMUL_DESC_TRANSA, shape.b_transposed);
  transpose(CUBLASLT_MATMUL_DESC_TRANSB, shape.a_transposed);
  b_ = layout(type, shape.n, shape.k, shape.b_stride, shape.b_transposed);
  a_ = layout(type, shape.k, shape.m, shape.a_stride, shape.a_transposed);
  c_ = layout(type, shape.n, shape.m, shape.n, false);
}

std::vector<cublasLtMatmulAlgo_t> LtProduct::proposals() const {
  cublasLtMatmulPreference_t wanted = nullptr;
  check(cublasLtMatmulPreferenceCreate(&wanted), "cublasLtMatmulPreferenceCreate");
  const auto destroy = [](cublasLtMatmulPreference_t of) { cublasLtMatmulPreferenceDestroy(of); };
  const std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, decltype(destroy)> owner(wanted, destroy);
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t what, const auto& value) {
    check(cublasLtMatmulPreferenceSetAttribute(wanted, what, &value, sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace_size()});
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_);
  std::vector<cublasLtMatmulHeuristicResult_t> found(kMostProposals);
  int count = 0;
  check(cublasLtMatmulAlgoGetHeuristic(at::cuda::getCurrentCUDABlasLtHandle(), product_, b_, a_, c_,
                                       c_, wanted, kMostProposals, found.data(), &count),
        "cublasLtMatmulAlgoGetHeuristic");
  std::vector<cublasLtMatmulAlgo_t> proposed;
  for (int i = 0; i < count; ++i) {
    const auto& [algorithm, bytes, state, waves, reserved] = found[static_cast<std::size_t>(i)];
    if (state == CUBLAS_STATUS_SUCCESS) proposed.push_back(algorithm);
  }
  return proposed;
}

bool LtProduct::can_run(const cublasLtMatmulAlgo_t& algorithm) const {
  cublasLtMatmulHeuristicResult_t result{};
  return cublasLtMatmulAlgoCheck(at::cuda::getCurrentCUDABlasLtHandle(), product_, b_, a_, c_, c_,
                                 &algorithm, &result) == CUBLAS_STATUS_SUCCESS &&
         result.workspaceSize <= workspace_size();
}

bool LtProduct::try_run(const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b,
                        void* c) const {
  return enqueue(algorithm, a, b, c) == CUBLAS_STATUS_SUCCESS;
}

void LtProduct::run(const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b,
                    void* c) const {
  check(enqueue(algorithm, a, b, c), "cublasLtMatmul");
}

cublasStatus_t LtProduct::enqueue(const cublasLtMatmulAlgo_t& algorithm, const void* a,
                                  const void* b, void* c) const {
  const float one = 1, zero = 0;
  return cublasLtMatmul(at::cuda::getCurrentCUDABlasLtHandle(), product_, &one, b, b_, a, a_, &zero,
                        c, c_, c, c_, &algorithm, workspace(), workspace_size(),
                        c10::cuda::getCurrentCUDAStream());
}

void LtProduct::check(cublasStatus_t status, const char* call) const {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(fmt::format("products: `tuned`: {} of {} returned cublasStatus_t {}",
                                       call, name_, static_cast<int>(status)));
}

void LtProduct::transpose(cublasLtMatmulDescAttributes_t which, bool transposed) {
  const cublasOperation_t operation = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  check(cublasLtMatmulDescSetAttribute(product_, which, &operation, sizeof(operation)),
        "cublasLtMatmulDescSetAttribute");
}

// Of an operand that is rows x columns after its transposition.
cublasLtMatrixLayout_t LtProduct::layout(cudaDataType_t type, std::int64_t rows,
                                         std::int64_t columns, std::int64_t stride,
                                         bool transposed) const {
  if (transposed) std::swap(rows, columns);
  cublasLtMatrixLayout_t made = nullptr;
  check(cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(columns), stride),
        "cublasLtMatrixLayoutCreate");
  return made;
}

}  // namespace sweepd
