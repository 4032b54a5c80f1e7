// Preloaded into programs under test: a shared folder whose server is away. While the file
// `$HANG_SHIM/hang` exists, every call of `sweepd` that names a path in `$HANG_FOLDER` waits, and
// `$HANG_SHIM/held` names that path. `$HANG_SHIM/on_loop` names the calls on the folder by the
// daemon's first thread, that of its event loop.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string note(const char* name) {
  const char* folder = std::getenv("HANG_SHIM");
  return std::string(folder == nullptr ? "" : folder) + "/" + name;
}

// By system calls, because the library's own are replaced here.
void add_line(const std::string& file, const char* line) {
  const auto fd = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600));
  if (fd < 0) return;
  const std::string text = std::string(line) + "\n";
  if (::write(fd, text.data(), text.size()) < 0) std::abort();
  ::close(fd);
}

void wait_for_server(const char* path) {
  const int error = errno;
  const char* folder = std::getenv("HANG_FOLDER");
  if (folder == nullptr || path == nullptr) return;
  if (std::strcmp(program_invocation_short_name, "sweepd") != 0) return;
  if (std::strncmp(path, folder, std::strlen(folder)) != 0) return;
  if (::syscall(SYS_gettid) == ::getpid()) add_line(note("on_loop"), path);
  const std::string hang = note("hang");
  bool told = false;
  while (::syscall(SYS_access, hang.c_str(), F_OK) == 0) {
    if (!told) add_line(note("held"), path);
    told = true;
    ::usleep(5000);
  }
  errno = error;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// Declares nothing as a header of the library does, so that each has one short form.
#define SHIM(result, name, parameters, path, arguments)                      \
  extern "C" __attribute__((visibility("default"))) result name parameters { \
    static auto* const function = real<result parameters>(#name);            \
    wait_for_server(path);                                                   \
    return function arguments;                                               \
  }
#define SHIM_OPEN(name)                                                                          \
  extern "C" __attribute__((visibility("default"))) int name(const char* path, int flags, ...) { \
    static auto* const function = real<int(const char*, int, ...)>(#name);                       \
    va_list rest;                                                                                \
    va_start(rest, flags);                                                                       \
    const auto mode = va_arg(rest, unsigned);                                                    \
    va_end(rest);                                                                                \
    wait_for_server(path);                                                                       \
    return function(path, flags, mode);                                                          \
  }
#define SHIM_OPENAT(name)                                                                         \
  extern "C" __attribute__((visibility("default"))) int name(int at, const char* path, int flags, \
                                                             ...) {                               \
    static auto* const function = real<int(int, const char*, int, ...)>(#name);                   \
    va_list rest;                                                                                 \
    va_start(rest, flags);                                                                        \
    const auto mode = va_arg(rest, unsigned);                                                     \
    va_end(rest);                                                                                 \
    wait_for_server(path);                                                                        \
    return function(at, path, flags, mode);                                                       \
  }

SHIM_OPEN(open)
SHIM_OPEN(open64)
SHIM_OPENAT(openat)
SHIM_OPENAT(openat64)
SHIM(DIR*, opendir, (const char* path), path, (path))
SHIM(FILE*, fopen, (const char* path, const char* mode), path, (path, mode))
SHIM(FILE*, fopen64, (const char* path, const char* mode), path, (path, mode))
SHIM(int, mkdir, (const char* path, mode_t mode) noexcept, path, (path, mode))
SHIM(int, mkdirat, (int at, const char* path, mode_t mode) noexcept, path, (at, path, mode))
SHIM(int, rmdir, (const char* path) noexcept, path, (path))
SHIM(int, unlink, (const char* path) noexcept, path, (path))
SHIM(int, unlinkat, (int at, const char* path, int flags) noexcept, path, (at, path, flags))
SHIM(int, remove, (const char* path) noexcept, path, (path))
SHIM(int, rename, (const char* from, const char* to) noexcept, to, (from, to))
SHIM(int, renameat2,
     (int from_at, const char* from, int to_at, const char* to, unsigned flags) noexcept, to,
     (from_at, from, to_at, to, flags))
SHIM(int, access, (const char* path, int mode) noexcept, path, (path, mode))
SHIM(int, truncate, (const char* path, off_t size) noexcept, path, (path, size))
SHIM(int, stat, (const char* path, struct stat* info) noexcept, path, (path, info))
SHIM(int, stat64, (const char* path, struct stat64* info) noexcept, path, (path, info))
SHIM(int, lstat, (const char* path, struct stat* info) noexcept, path, (path, info))
SHIM(int, lstat64, (const char* path, struct stat64* info) noexcept, path, (path, info))
SHIM(int, fstatat, (int at, const char* path, struct stat* info, int flags) noexcept, path,
     (at, path, info, flags))
SHIM(int, fstatat64, (int at, const char* path, struct stat64* info, int flags) noexcept, path,
     (at, path, info, flags))
