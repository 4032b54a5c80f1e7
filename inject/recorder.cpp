#include "inject/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "inject/background.h"
#include "inject/names.h"

namespace sweepd::inject {
namespace {

constexpr std::uint64_t kMostRecords = 2'000'000;  // unless SWEEPD_INJECT_RECORDS says else
constexpr int kFirstDescriptor = 200;              // programs expect the small ones for themselves

enum State { kFresh, kOn, kOff };

struct Recorder {
  pthread_mutex_t lock;
  int state;  // atomic
  bool forbids_children;
  bool handles_forks;
  int file;
  dev_t device;
  ino_t inode;
  FileHeader header;
  bool header_changed;
  std::uint64_t file_bytes, records, most_records;
  std::size_t buffered;
  alignas(8) char buffer[64U << 10];
};
Recorder all = {
    PTHREAD_MUTEX_INITIALIZER, kFresh, false, false, -1, 0, 0, {}, false, 0, 0, 0, 0, {}};
NameTable names;

thread_local int inside = 0;
thread_local std::uint32_t thread_id = 0;

int state() {
  return __atomic_load_n(&all.state, __ATOMIC_ACQUIRE);
}
void set_state(State to) {
  __atomic_store_n(&all.state, to, __ATOMIC_RELEASE);
}

// A program may close every descriptor and open files of its own.
bool is_our_file() {
  struct stat found {};
  return ::fstat(all.file, &found) == 0 && found.st_dev == all.device && found.st_ino == all.inode;
}

// A child by clone() has the parent's state.
bool is_our_process() {
  return all.header.pid == ::getpid();
}

// A write beyond this limit would end the program by SIGXFSZ.
bool within_limit(std::uint64_t file_bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         file_bytes <= limit.rlim_cur;
}

void write_header() {
  if (all.file_bytes < sizeof all.header) return;
  all.header_changed = ::pwrite(all.file, &all.header, sizeof all.header, 0) < 0;
}

bool write_buffer() {
  if (!is_our_process() || !is_our_file()) return false;
  const char* from = all.buffer;
  if (!within_limit(all.file_bytes + all.buffered)) errno = EFBIG;
  while (all.buffered > 0 && within_limit(all.file_bytes + all.buffered)) {
    const ssize_t written =
        ::pwrite(all.file, from, all.buffered, static_cast<off_t>(all.file_bytes));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    from += written;
    all.file_bytes += static_cast<std::uint64_t>(written);
    all.buffered -= static_cast<std::size_t>(written);
  }
  if (all.buffered > 0) all.header.write_error = errno != 0 ? errno : EIO;
  if (all.header_changed || all.header.write_error != 0) write_header();
  return all.header.write_error == 0;
}

void close_file() {
  if (is_our_process() && is_our_file()) ::close(all.file);
  all.file = -1;
  set_state(kOff);
}

void put(const void* bytes, std::size_t count) {
  std::memcpy(all.buffer + all.buffered, bytes, count);
  all.buffered += count;
}

bool make_room(std::size_t bytes) {
  if (all.buffered + bytes <= sizeof all.buffer) return true;
  if (write_buffer()) return true;
  close_file();
  return false;
}

void put_name(std::uint32_t id) {
  RecordHead head{static_cast<std::uint16_t>(sizeof head + names.bytes(id)), RecordKind::kName, 0,
                  id};
  if (state() != kOn || all.records >= all.most_records || !make_room(head.bytes)) return;
  put(&head, sizeof head);
  put(names.text(id), names.bytes(id));
}

template <class Text, class... Bytes>
std::uint32_t put_new_name(Text text, Bytes... bytes) {
  const std::uint32_t last = names.last();
  const std::uint32_t id = names.id_of(text, bytes...);
  if (id > last) put_name(id);
  return id;
}

// Replaces %p by the process id; false if the path is too long.
bool expand(const char* pattern, char* to, std::size_t size) {
  std::size_t used = 0;
  for (; *pattern != 0; ++pattern) {
    if (used + 16 > size) return false;
    if (pattern[0] == '%' && pattern[1] == 'p') {
      used += static_cast<std::size_t>(std::snprintf(to + used, 16, "%d", ::getpid()));
      ++pattern;
    } else {
      to[used++] = *pattern;
    }
  }
  to[used] = 0;
  return true;
}

// O_EXCL: nothing that exists is written, neither by a process with the same id after exec() nor
// where the path has no %p.
int create(const char* pattern) {
  char path[4096], numbered[sizeof path + 8];
  if (!expand(pattern, path, sizeof path)) return -1;
  for (int i = 0; i < 100; ++i) {
    std::snprintf(numbered, sizeof numbered, i == 0 ? "%s" : "%s.%d", path, i);
    const int file = ::open(numbered, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

void open_file() {
  const char* pattern = ::secure_getenv("SWEEPD_INJECT_FILE");
  const int low = pattern != nullptr && *pattern != 0 ? create(pattern) : -1;
  if (low < 0) return set_state(kOff);
  all.file = ::fcntl(low, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (all.file >= 0) {
    ::close(low);
  } else {
    all.file = low;
  }
  struct stat found {};
  if (::fstat(all.file, &found) != 0) return set_state(kOff);
  all.device = found.st_dev;
  all.inode = found.st_ino;

  const char* most = ::secure_getenv("SWEEPD_INJECT_RECORDS");
  all.most_records = most != nullptr ? std::strtoull(most, nullptr, 10) : kMostRecords;
  all.records = 0;
  all.header = {};
  std::memcpy(all.header.magic, kMagic, sizeof kMagic);
  all.header.format = kFormat;
  all.header.pid = ::getpid();
  all.file_bytes = 0;
  all.buffered = 0;
  put(&all.header, sizeof all.header);
  if (!write_buffer()) return close_file();
  set_state(kOn);
  for (std::uint32_t id = 1; id <= names.last(); ++id) put_name(id);  // of the parent
}

void before_fork() {
  if (inside++ == 0) ::pthread_mutex_lock(&all.lock);
}
void after_fork_in_parent() {
  if (--inside == 0) ::pthread_mutex_unlock(&all.lock);
}
void after_fork_in_child() {
  if (--inside == 0) ::pthread_mutex_unlock(&all.lock);
  thread_id = 0;
  if (state() != kOn) return;
  if (is_our_file()) ::close(all.file);  // the parent has its own descriptor
  all.file = -1;
  set_state(all.forbids_children ? kOff : kFresh);
}

bool put_record(void* record, std::size_t bytes, const char* text) {
  const std::size_t text_bytes = text != nullptr ? ::strnlen(text, kMostText) : 0;
  RecordHead head;
  std::memcpy(&head, record, sizeof head);
  head.bytes = static_cast<std::uint16_t>(bytes + text_bytes);
  std::memcpy(record, &head, sizeof head);
  if (!make_room(head.bytes)) return false;
  put(record, bytes);
  if (text_bytes > 0) put(text, text_bytes);
  return true;
}

}  // namespace

bool recording() {
  if (state() != kFresh) return state() == kOn;
  {
    const Entry entry;
    if (!entry.entered || state() != kFresh) return state() == kOn;
    if (!all.handles_forks) {
      all.handles_forks = true;
      ::pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
    }
    open_file();
  }
  if (state() == kOn) start_background();
  return state() == kOn;
}

bool records_here() {
  return state() == kOn && is_our_process();
}

Entry::Entry() : entered(inside++ == 0), errno_(errno) {
  // A write may cancel the thread, which would keep the lock.
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
  if (entered) ::pthread_mutex_lock(&all.lock);
}

Entry::~Entry() {
  if (entered) ::pthread_mutex_unlock(&all.lock);
  ::pthread_setcancelstate(cancel_state_, nullptr);
  --inside;
  errno = errno_;
}

std::uint32_t name_id(const char* text) {
  if (text == nullptr) return 0;
  return put_new_name(text, ::strnlen(text, kMostText));
}

std::uint32_t name_id(const wchar_t* text) {
  return text != nullptr ? put_new_name(text) : 0;
}

bool append(void* record, std::size_t bytes) {
  if (state() != kOn) return false;
  if (all.records >= all.most_records) {
    ++all.header.over_limit;
    all.header_changed = true;
    return false;
  }
  if (!put_record(record, bytes, nullptr)) return false;
  ++all.records;
  return true;
}

void count_lost(std::uint64_t records) {
  if (records == 0) return;
  all.header.lost_by_cupti += records;
  all.header_changed = true;
}

void set_cupti_version(std::uint32_t version) {
  all.header.cupti_version = version;
  all.header_changed = true;
}

void write_out() {
  const Entry entry;
  if (!entry.entered || state() != kOn) return;
  if ((all.buffered > 0 || all.header_changed) && !write_buffer()) close_file();
}

void refuse(int code, const char* text) {
  {
    const Entry entry;
    if (!entry.entered || state() != kOn) return;
    RefusalRecord record{{0, RecordKind::kRefusal, 0, 0}, code, 0};
    put_record(&record, sizeof record, text);
  }
  write_out();
}

void stop_recording(bool by_exit) {
  const Entry entry;
  if (!entry.entered || state() != kOn) return;
  all.header.ended = by_exit ? 1 : 0;
  all.header_changed = true;
  write_buffer();
  close_file();
}

void forbid_children() {
  all.forbids_children = true;
}

std::uint32_t this_thread() {
  if (thread_id == 0) thread_id = static_cast<std::uint32_t>(::syscall(SYS_gettid));
  return thread_id;
}

std::int64_t host_clock_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace sweepd::inject
