// The collective operations of one trial's ranks, whatever carries them. Every rank makes the same
// calls in the same order, with tensors of one size and type.
//
// A call blocks until its result is there (CPU) or is ordered on the current stream (CUDA), as an
// operator of torch does. What shall run beside other work goes through a CommunicationQueue.
#pragma once

#include <ATen/ATen.h>

#include <functional>
#include <memory>
#include <string_view>

#include "workloads/api/gang.h"
#include "workloads/api/workload.h"

namespace sweepd {

// Tensors are contiguous. Throws std::invalid_argument for a type or size the backend cannot do,
// std::runtime_error when another rank is gone.
class Collectives : public Gang {
 public:
  virtual std::string_view backend() const = 0;  // "gloo", "shm", "nccl"
  virtual int rank() const = 0;
  virtual int world_size() const = 0;

  virtual void all_reduce(at::Tensor tensor) = 0;  // in place: the sum over ranks
  // output: n elements, part `rank` of the sum of `input` (n * world_size), or a view of that part.
  virtual void reduce_scatter(at::Tensor output, const at::Tensor& input) = 0;
  // output: world_size * n elements, by rank; input: n elements, may be output's own part.
  virtual void all_gather(at::Tensor output, const at::Tensor& input) = 0;
  virtual void broadcast(at::Tensor tensor, int root) = 0;

  // An uninitialised tensor where the backend moves data best: `shm` puts it into memory that every
  // rank has mapped, so that nothing is copied on the way. For buffers that are kept and reduced
  // again and again; each rank may make its own, whenever it likes, and any tensor works without.
  virtual at::Tensor empty(at::IntArrayRef sizes, const at::TensorOptions& options) {
    return at::empty(sizes, options);
  }
};

// Joins the other ranks of `context`'s attempt; returns when all are there. Notes each operation as
// it is entered (Context::note) and hands the time it took to meet as setup samples. Throws
// std::invalid_argument for an unknown backend, Unavailable for one this build or machine lacks.
std::unique_ptr<Collectives> make_collectives(std::string_view backend, Context& context);

// An operation that was handed to a CommunicationQueue.
class Pending {
 public:
  virtual ~Pending() = default;
  // Returns when it is through (CPU) or makes the current stream wait for it (CUDA). Throws what it
  // threw. May be called twice.
  virtual void wait() = 0;
  virtual double elapsed_ms() = 0;  // of the operation alone; after wait() and a synchronise
};

// Runs collectives beside the caller, in the order they were handed over: on a thread of its own
// (CPU) or on a stream of its own, after what the current stream holds so far (CUDA).
class CommunicationQueue {
 public:
  virtual ~CommunicationQueue() = default;  // waits for what is in it
  virtual std::shared_ptr<Pending> submit(std::function<void(Collectives&)> operation) = 0;
};

// `collectives` must outlive the queue, and is the queue's alone while anything is in it.
std::unique_ptr<CommunicationQueue> make_communication_queue(Collectives& collectives,
                                                             Device& device);

}  // namespace sweepd
