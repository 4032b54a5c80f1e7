// The dispatcher's pauses and limits; tests set shorter ones.
#pragma once

#include "runner/base/units.h"

namespace sweepd {

struct DispatcherTiming {
  Duration grace = seconds(2);        // between SIGTERM and SIGKILL
  Duration store_retry = seconds(5);  // until a failed transaction is tried again
  // Until a journal that could not be read is read again, doubled each time up to the second value.
  // After the third the attempt ends without it.
  Duration read_retry = milliseconds(500);
  Duration read_retry_most = seconds(30);
  Duration read_patience = seconds(600);
  // If reading an attempt's journal takes longer, its cores and GPUs go to other attempts.
  Duration long_read = seconds(5);
  // Until a failed start is tried again. Doubled each time, up to the second value.
  Duration start_retry = milliseconds(500);
  Duration start_retry_most = seconds(30);
  // The same after an attempt has ended because its pool will fail the next one too.
  Duration lasting_retry = seconds(60);
  Duration lasting_retry_most = seconds(600);
  // How long the ranks of a gang that lost a peer may run until it is known which rank ended and
  // why. A rank's connections close before it has written its last line, so its peers end first.
  Duration peer_grace = milliseconds(500);
};

// Guarantee for a gang: this long after one rank ended badly, the others have been ended too.
inline constexpr Duration kGangEndsWithin = seconds(1);
static_assert(DispatcherTiming{}.peer_grace < kGangEndsWithin);

}  // namespace sweepd
