// The collective operations of one trial's ranks, over any backend. Every rank makes the same calls
// in the same order, with tensors of equal size and type.
//
// A call blocks until its result is there (CPU) or is ordered on the current stream (CUDA), like an
// operator of torch. Operations that should run in parallel with other work use a
// CommunicationQueue.
#pragma once

#include "workloads/torch/aten.h"

#include <functional>
#include <memory>
#include <string_view>

#include "workloads/api/gang.h"
#include "workloads/api/workload.h"

namespace sweepd {

// Tensors are contiguous. Throws std::invalid_argument for a type or size that the backend does not
// support, std::runtime_error if another rank is gone.
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

  // Returns an uninitialised tensor in memory from which the backend moves data best: `shm` uses
  // memory that every rank has mapped, so that nothing is copied on the way. For buffers that are
  // kept and reduced again and again. Each rank may make its own at any time, and every other
  // tensor works too.
  virtual at::Tensor empty(at::IntArrayRef sizes, const at::TensorOptions& options) {
    return at::empty(sizes, options);
  }
};

// Joins the other ranks of `context`'s attempt; returns when all have joined. Notes each operation
// when it is entered (Context::note) and reports the time until all had joined as setup samples.
// Throws std::invalid_argument for an unknown backend, Unavailable for one that this build or
// machine lacks.
std::unique_ptr<Collectives> make_collectives(std::string_view backend, Context& context);

// An operation that was given to a CommunicationQueue.
class Pending {
 public:
  virtual ~Pending() = default;
  // Returns when the operation is complete (CPU) or makes the current stream wait for it (CUDA).
  // Rethrows its exception. May be called twice.
  virtual void wait() = 0;
  virtual double elapsed_ms() = 0;  // of the operation alone; call after wait() and a synchronise
};

// Runs collectives in parallel with the caller, in the order in which they were submitted: on its
// own thread (CPU), or on its own stream, after the work that is now on the current
// stream (CUDA).
class CommunicationQueue {
 public:
  virtual ~CommunicationQueue() = default;  // waits for its operations
  virtual std::shared_ptr<Pending> submit(std::function<void(Collectives&)> operation) = 0;
};

// `collectives` must outlive the queue, and nothing else may use it while the queue has operations.
std::unique_ptr<CommunicationQueue> make_communication_queue(Collectives& collectives,
                                                             Device& device);

}  // namespace sweepd
