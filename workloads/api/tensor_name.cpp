#include "workloads/api/tensor_name.h"

namespace sweepd {

namespace detail {
TensorNameObserver* tensor_name_observer = nullptr;
}

void set_tensor_name_observer(TensorNameObserver* observer) {
  detail::tensor_name_observer = observer;
}

}  // namespace sweepd
