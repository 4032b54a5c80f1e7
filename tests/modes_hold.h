// While this lives, the modes of files hold for this thread and for those that it makes, also if
// the user is root.
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace sweepd {

class ModesHold {
 public:
  ModesHold() {
    if (::syscall(SYS_capget, &header_, before_.data()) != 0) return;
    auto now = before_;
    now[0].effective &= ~((1U << CAP_DAC_OVERRIDE) | (1U << CAP_DAC_READ_SEARCH));
    ::syscall(SYS_capset, &header_, now.data());
  }
  ~ModesHold() { ::syscall(SYS_capset, &header_, before_.data()); }
  ModesHold(const ModesHold&) = delete;
  ModesHold& operator=(const ModesHold&) = delete;

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> before_{};
};

}  // namespace sweepd
