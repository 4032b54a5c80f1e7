// Names for tensors that live within a step, such as the residual stream and the logits, so that
// memory figures can name them. The memory recorder installs the observer; without one a name
// costs one load and one branch. Tensors that outlive the step are named by Workload::state()
// instead.
#pragma once

#include <string_view>

namespace sweepd {

class TensorNameObserver {
 public:
  virtual ~TensorNameObserver() = default;
  // `block` is where the tensor's storage begins. Names have static storage.
  virtual void name(const void* block, std::string_view name) = 0;
};

// Sets the only observer of this process, or null for none. Call from the thread that runs the
// workload.
void set_tensor_name_observer(TensorNameObserver* observer);

namespace detail {
extern TensorNameObserver* tensor_name_observer;
}

inline void name_block(const void* block, std::string_view name) {
  if (detail::tensor_name_observer != nullptr) detail::tensor_name_observer->name(block, name);
}

}  // namespace sweepd
