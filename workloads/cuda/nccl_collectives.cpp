// NCCL on the current stream, through its own interface: c10d's process group would add a stream, a
// watchdog thread and a timeout to every operation. A rank has one GPU, and NCCL needs no other
// fact about the machine, so eight ranks work like two. Only the watch for lost peers has a thread,
// which checks ten times a second.
#include "workloads/cuda/nccl_collectives.h"

#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "workloads/cuda/peer_watch.h"
#include "workloads/torch/rendezvous.h"

namespace sweepd {
namespace {

constexpr std::chrono::milliseconds kNever = std::chrono::hours(24 * 30);  // the daemon ends it

void check(ncclResult_t status, const char* call) {
  if (status == ncclSuccess) return;
  throw std::runtime_error(std::string(call) + ": " + ncclGetErrorString(status) + "; " +
                           ncclGetLastError(nullptr));
}

ncclDataType_t type_of(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return ncclFloat32;
    case at::kDouble:
      return ncclFloat64;
    case at::kHalf:
      return ncclFloat16;
    case at::kBFloat16:
      return ncclBfloat16;
    case at::kLong:
      return ncclInt64;
    case at::kInt:
      return ncclInt32;
    case at::kByte:
      return ncclUint8;
    default:
      throw std::invalid_argument(std::string("nccl does not support ") +
                                  c10::toString(tensor.scalar_type()));
  }
}

std::size_t count_of(const at::Tensor& tensor) {
  return static_cast<std::size_t>(tensor.numel());
}

// Returns rank 0's id for the group, through the same store with which Gloo's ranks find each
// other.
ncclUniqueId common_id(const Context& context) {
  auto store = rendezvous_store(context, kNever);
  const std::string interface = variable_or_empty("SWEEPD_INTERFACE");
  if (!interface.empty()) ::setenv("NCCL_SOCKET_IFNAME", interface.c_str(), 0);
  ncclUniqueId id{};
  if (context.rank == 0) {
    check(ncclGetUniqueId(&id), "ncclGetUniqueId");
    store->set("nccl_id", std::vector<std::uint8_t>(id.internal, id.internal + sizeof id.internal));
  } else {
    const std::vector<std::uint8_t> bytes = store->get("nccl_id");
    if (bytes.size() != sizeof id.internal)
      throw std::runtime_error("rank 0's NCCL id is truncated");
    std::memcpy(id.internal, bytes.data(), bytes.size());
  }
  return id;
}

class NcclCollectives final : public Collectives {
 public:
  explicit NcclCollectives(const Context& context)
      : rank_(context.rank),
        world_size_(context.world_size),
        device_(at::kCUDA, static_cast<c10::DeviceIndex>(context.device.index())) {
    check(ncclCommInitRank(&group_, world_size_, common_id(context), rank_), "ncclCommInitRank");
    watch_.emplace(PeerWatch::Group{[this] { return error_of_group(); }, [this] { abort(); }});
    value_ = at::zeros({1}, at::TensorOptions().dtype(at::kDouble).device(device_));
  }
  NcclCollectives(const NcclCollectives&) = delete;
  NcclCollectives& operator=(const NcclCollectives&) = delete;

  std::string_view backend() const override { return "nccl"; }
  int rank() const override { return rank_; }
  int world_size() const override { return world_size_; }

  // Reading the result waits for the stream, and the result depends on every rank.
  void barrier() override { largest(0); }

  double largest(double mine) override {
    value_.fill_(mine);
    watch_->run([&] {
      check(ncclAllReduce(value_.data_ptr(), value_.data_ptr(), 1, ncclFloat64, ncclMax, group_,
                          stream()),
            "ncclAllReduce");
    });
    const double result = value_.item<double>();
    watch_->check();
    return result;
  }

  void all_reduce(at::Tensor tensor) override {
    watch_->run([&] {
      check(ncclAllReduce(tensor.data_ptr(), tensor.data_ptr(), count_of(tensor), type_of(tensor),
                          ncclSum, group_, stream()),
            "ncclAllReduce");
    });
  }

  void reduce_scatter(at::Tensor output, const at::Tensor& input) override {
    watch_->run([&] {
      check(ncclReduceScatter(input.data_ptr(), output.data_ptr(), count_of(output),
                              type_of(output), ncclSum, group_, stream()),
            "ncclReduceScatter");
    });
  }

  void all_gather(at::Tensor output, const at::Tensor& input) override {
    watch_->run([&] {
      check(ncclAllGather(input.data_ptr(), output.data_ptr(), count_of(input), type_of(input),
                          group_, stream()),
            "ncclAllGather");
    });
  }

  void broadcast(at::Tensor tensor, int root) override {
    watch_->run([&] {
      check(ncclBroadcast(tensor.data_ptr(), tensor.data_ptr(), count_of(tensor), type_of(tensor),
                          root, group_, stream()),
            "ncclBroadcast");
    });
  }

 private:
  // Called by the watch. An error of a transport, or of a peer that the transport misses.
  std::string error_of_group() const {
    ncclResult_t state = ncclSuccess;
    const ncclResult_t asked = ncclCommGetAsyncError(group_, &state);
    if (asked != ncclSuccess) state = asked;
    if (state == ncclSuccess || state == ncclInProgress) return "";
    return "nccl: rank " + std::to_string(rank_) + " of " + std::to_string(world_size_) +
           " lost the group: " + ncclGetErrorString(state) + "; " + ncclGetLastError(group_);
  }
  // ncclCommDestroy would wait for peers that may have ended.
  void abort() { ncclCommAbort(group_); }

  cudaStream_t stream() const { return c10::cuda::getCurrentCUDAStream(device_.index()).stream(); }

  int rank_, world_size_;
  at::Device device_;
  ncclComm_t group_ = nullptr;
  at::Tensor value_;
  // Last, so that it ends first: it aborts the group before anything waits for the device.
  std::optional<PeerWatch> watch_;
};

}  // namespace
}  // namespace sweepd

extern "C" __attribute__((visibility("default"))) sweepd::Collectives* sweepd_make_nccl_collectives(
    sweepd::Context& context) {
  return new sweepd::NcclCollectives(context);
}
