#include "runner/base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace sweepd {

namespace fs = std::filesystem;

namespace {

Error failed(const fs::path& file, const char* action, int code) {
  return {code == ENOENT || code == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo,
          "cannot " + std::string(action) + " `" + file.string() + "`: " + std::strerror(code)};
}

// A file that was opened with O_NONBLOCK is read like any other: for a regular file the flag has no
// effect, and a process that inherits the descriptor should not find it set.
Result<UniqueFd> open_checked(int folder, const char* name, const fs::path& shown, Links links) {
  const int no_link = links == Links::kRefuse ? O_NOFOLLOW : 0;
  UniqueFd fd(::openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | no_link));
  if (!fd && errno == ELOOP && links == Links::kRefuse) {
    return Error{ErrorCode::kInvalidArgument,
                 "`" + shown.string() + "` is a symbolic link; expected a regular file"};
  }
  if (!fd && errno == ENXIO) {  // a socket
    return Error{ErrorCode::kInvalidArgument,
                 "`" + shown.string() + "` is a socket or device; expected a regular file"};
  }
  if (!fd) return failed(shown, "read", errno);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return failed(shown, "read", errno);
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kInvalidArgument, "`" + shown.string() + "` is " +
                                                  kind_of_file(status.st_mode) +
                                                  "; expected a regular file"};
  }
  ::fcntl(fd.get(), F_SETFL, 0);
  return fd;
}

Result<void> write_new(const fs::path& file, std::string_view text) {
  UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd) return failed(file, "create", errno);
  if (auto written = write_all(fd.get(), text, file); !written) return written;
  // A network file system may report a full disk only here.
  if (::close(fd.release()) < 0) return failed(file, "write", errno);
  return {};
}

Result<void> copy_file(int from, const fs::path& from_path, int to, const fs::path& to_path) {
  std::array<char, 1 << 16> buffer{};
  while (true) {
    const ssize_t n = ::read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(from_path, "read", errno);
    if (n == 0) return {};
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(n));
    if (auto written = write_all(to, piece, to_path); !written) return written;
  }
}

struct Folder {
  UniqueFd fd;
  fs::path path;
};

Result<Folder> open_folder(int parent, const char* name, fs::path path) {
  UniqueFd fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return failed(path, "open", errno);
  return Folder{std::move(fd), std::move(path)};
}

// Every step opens a name relative to an open folder, so that a link that replaces a folder cannot
// lead elsewhere.
Result<void> copy_entries(const Folder& from, const Folder& to, std::int64_t& left_out) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::fdopendir(::dup(from.fd.get())), &::closedir);
  if (!entries) return failed(from.path, "list", errno);
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const fs::path source = from.path / name;
    const fs::path target = to.path / name;
    struct stat status {};
    if (::fstatat(from.fd.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return failed(source, "look at", errno);
    }
    if (S_ISDIR(status.st_mode)) {
      auto inner = open_folder(from.fd.get(), entry->d_name, source);
      if (!inner) return inner.error();
      if (::mkdirat(to.fd.get(), entry->d_name, 0700) != 0) return failed(target, "make", errno);
      auto made = open_folder(to.fd.get(), entry->d_name, target);
      if (!made) return made.error();
      if (auto copied = copy_entries(*inner, *made, left_out); !copied) return copied;
      continue;
    }
    auto file = open_checked(from.fd.get(), entry->d_name, source, Links::kRefuse);
    if (!file && file.error().code == ErrorCode::kInvalidArgument) {
      ++left_out;
      continue;
    }
    if (!file) return file.error();
    const UniqueFd out(::openat(to.fd.get(), entry->d_name,
                                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!out) return failed(target, "create", errno);
    if (auto copied = copy_file(file->get(), source, out.get(), target); !copied) return copied;
  }
  return {};
}

}  // namespace

bool leads_below(const fs::path& name) {
  return name.is_relative() && name.has_filename() &&
         std::find(name.begin(), name.end(), fs::path("..")) == name.end();
}

std::string kind_of_file(unsigned mode) {
  if (S_ISREG(mode)) return "a regular file";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISLNK(mode)) return "a symbolic link";
  return "a device";
}

Result<UniqueFd> open_regular(const fs::path& file, Links links) {
  return open_checked(AT_FDCWD, file.c_str(), file, links);
}

Result<std::string> read_all(int fd, std::int64_t most_bytes) {
  std::string text;
  std::array<char, 1 << 16> buffer{};
  while (static_cast<std::int64_t>(text.size()) < most_bytes) {
    const std::int64_t left = most_bytes - static_cast<std::int64_t>(text.size());
    const ssize_t n =
        ::read(fd, buffer.data(),
               static_cast<std::size_t>(std::min(left, static_cast<std::int64_t>(buffer.size()))));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Error{ErrorCode::kIo, std::strerror(errno)};
    if (n == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return text;
}

Result<std::string> read_regular(const fs::path& file, Links links, std::int64_t most_bytes) {
  auto fd = open_regular(file, links);
  if (!fd) return fd.error();
  auto text = read_all(fd->get(), most_bytes);
  if (text) return text;
  return Error{ErrorCode::kIo, "cannot read `" + file.string() + "`: " + text.error().message};
}

Result<void> write_all(int fd, std::string_view text, const fs::path& shown) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(shown, "write", errno);
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

std::string identity_of(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return "";
  return fmt::format("{} {} {} {}.{:09}", info.st_dev, info.st_ino, info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

Result<void> replace_file(const fs::path& file, std::string_view text) {
  const fs::path fresh = file.string() + ".new";
  if (auto written = write_new(fresh, text); !written) {
    return Error{ErrorCode::kIo, written.error().message};
  }
  if (std::rename(fresh.c_str(), file.c_str()) != 0) {
    return Error{ErrorCode::kIo, failed(file, "replace", errno).message};
  }
  return {};
}

Result<void> force_to_disk(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) return failed(path, "write", errno);
  return {};
}

Result<void> copy_tree(const fs::path& from, const fs::path& to, std::int64_t& left_out) {
  const auto source = open_folder(AT_FDCWD, from.c_str(), from);
  if (!source) return source.error();
  if (::mkdir(to.c_str(), 0700) != 0) return failed(to, "make", errno);
  const auto target = open_folder(AT_FDCWD, to.c_str(), to);
  if (!target) return target.error();
  return copy_entries(*source, *target, left_out);
}

}  // namespace sweepd
