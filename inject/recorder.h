// The file of this process: opened when something is to be recorded, bounded, and given up at the
// first error. No function here ends, blocks on, or changes anything of the traced program: errno
// stays, its files are never written, and a call inside another one (from a signal handler) does
// nothing. Safe for all threads. After fork() the child has no file; it opens one if CUPTI does not
// run (see `forbid_children`).
//
// The environment: SWEEPD_INJECT_FILE is the file's path, where `%p` is the process id; if it
// exists, `.1`, `.2` and so on are appended. SWEEPD_INJECT_RECORDS is the most records.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/file_format.h"

namespace sweepd::inject {

// True from the first call on, if there is a file to write to, until stop_recording().
bool recording();
// The same, but opens no file, and is false in a child by clone().
bool records_here();

// Holds the lock, unless this thread is inside another Entry: then `entered` is false; do nothing.
class Entry {
 public:
  Entry();
  ~Entry();
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  const bool entered;

 private:
  const int errno_;
  int cancel_state_;
};

// These need an Entry, and do nothing when nothing is recorded.
std::uint32_t name_id(const char* text);  // may be null
std::uint32_t name_id(const wchar_t* text);
// `record` begins with a RecordHead whose `bytes` is ignored. Returns false if it was dropped.
bool append(void* record, std::size_t bytes);
template <class Record>
bool append(Record& record) {
  return append(&record, sizeof record);
}
void count_lost(std::uint64_t records);  // by CUPTI
void set_cupti_version(std::uint32_t version);

// Writes what is buffered.
void write_out();
// The reason why nothing more is recorded; it is written in any case.
void refuse(int code, const char* text);
// Ends the file. `by_exit`: the process called exit().
void stop_recording(bool by_exit);

// CUPTI runs in this process, and would not in a child.
void forbid_children();

std::uint32_t this_thread();  // the system's id
std::int64_t host_clock_ns();

}  // namespace sweepd::inject
