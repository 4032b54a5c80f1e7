// A file system that shows another folder with the guarantees of NFS: another mount sees a change
// when it opens the file or lists the folder, otherwise half a minute later. Two mounts of one
// folder are two hosts.
//
//   stale_folder FOLDER MOUNT_POINT     returns once it is mounted
//
// The kernel does it: it keeps attributes, also of missing names, for the time that `init` sets,
// drops a file's pages when it is opened, and asks for each name that it looks up. Unlike this, NFS
// may also keep written data until the file is closed, and find an old file by a name that now
// belongs to another one.
#define FUSE_USE_VERSION 31
#include <dirent.h>
#include <fcntl.h>
#include <fuse.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace stale {
namespace {

constexpr double kStaleSeconds = 30;
std::string folder;  // shown at the mount point

std::string real(const char* path) {
  return folder + path;
}
int done(int result) {
  return result == -1 ? -errno : 0;
}
int handle(const fuse_file_info* file) {
  return static_cast<int>(file->fh);
}

void* init(fuse_conn_info*, fuse_config* config) {
  config->use_ino = 1;
  config->entry_timeout = 0;
  config->attr_timeout = kStaleSeconds;
  config->negative_timeout = kStaleSeconds;
  return nullptr;
}
int getattr(const char* path, struct stat* into, fuse_file_info*) {
  return done(::lstat(real(path).c_str(), into));
}
int readlink(const char* path, char* into, std::size_t size) {
  const ssize_t got = ::readlink(real(path).c_str(), into, size - 1);
  if (got < 0) return -errno;
  into[got] = '\0';
  return 0;
}
int readdir(const char* path, void* into, fuse_fill_dir_t fill, off_t, fuse_file_info*,
            fuse_readdir_flags) {
  DIR* const entries = ::opendir(real(path).c_str());
  if (entries == nullptr) return -errno;
  while (const dirent* entry = ::readdir(entries)) {
    struct stat status {};
    const std::string name = real(path) + "/" + entry->d_name;
    const bool known = ::lstat(name.c_str(), &status) == 0;
    fill(into, entry->d_name, known ? &status : nullptr, 0,
         known ? FUSE_FILL_DIR_PLUS : static_cast<fuse_fill_dir_flags>(0));
  }
  ::closedir(entries);
  return 0;
}
int open_with(const char* path, int flags, mode_t mode, fuse_file_info* file) {
  const int descriptor = ::open(real(path).c_str(), flags, mode);
  if (descriptor == -1) return -errno;
  file->fh = static_cast<std::uint64_t>(descriptor);
  return 0;
}
int open(const char* path, fuse_file_info* file) {
  return open_with(path, file->flags, 0, file);
}
int create(const char* path, mode_t mode, fuse_file_info* file) {
  return open_with(path, file->flags | O_CREAT, mode, file);
}
int read(const char*, char* into, std::size_t size, off_t at, fuse_file_info* file) {
  const ssize_t got = ::pread(handle(file), into, size, at);
  return got == -1 ? -errno : static_cast<int>(got);
}
int write(const char*, const char* from, std::size_t size, off_t at, fuse_file_info* file) {
  const ssize_t put = ::pwrite(handle(file), from, size, at);
  return put == -1 ? -errno : static_cast<int>(put);
}
int release(const char*, fuse_file_info* file) {
  return done(::close(handle(file)));
}
int fsync(const char*, int, fuse_file_info* file) {
  return done(::fsync(handle(file)));
}
int truncate(const char* path, off_t size, fuse_file_info*) {
  return done(::truncate(real(path).c_str(), size));
}
int fallocate(const char*, int mode, off_t at, off_t size, fuse_file_info* file) {
  return done(::fallocate(handle(file), mode, at, size));
}
int mkdir(const char* path, mode_t mode) {
  return done(::mkdir(real(path).c_str(), mode));
}
int rmdir(const char* path) {
  return done(::rmdir(real(path).c_str()));
}
int unlink(const char* path) {
  return done(::unlink(real(path).c_str()));
}
int rename(const char* from, const char* to, unsigned flags) {
  return flags != 0 ? -EINVAL : done(::rename(real(from).c_str(), real(to).c_str()));
}
int symlink(const char* target, const char* path) {
  return done(::symlink(target, real(path).c_str()));
}
int chmod(const char* path, mode_t mode, fuse_file_info*) {
  return done(::chmod(real(path).c_str(), mode));
}
int utimens(const char* path, const timespec times[2], fuse_file_info*) {
  return done(::utimensat(AT_FDCWD, real(path).c_str(), times, AT_SYMLINK_NOFOLLOW));
}
int statfs(const char* path, struct statvfs* into) {
  return done(::statvfs(real(path).c_str(), into));
}

}  // namespace
}  // namespace stale

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: stale_folder FOLDER MOUNT_POINT\n");
    return 2;
  }
  stale::folder = argv[1];
  fuse_operations all{};
  all.init = stale::init;
  all.getattr = stale::getattr;
  all.readlink = stale::readlink;
  all.readdir = stale::readdir;
  all.open = stale::open;
  all.create = stale::create;
  all.read = stale::read;
  all.write = stale::write;
  all.release = stale::release;
  all.fsync = stale::fsync;
  all.truncate = stale::truncate;
  all.fallocate = stale::fallocate;
  all.mkdir = stale::mkdir;
  all.rmdir = stale::rmdir;
  all.unlink = stale::unlink;
  all.rename = stale::rename;
  all.symlink = stale::symlink;
  all.chmod = stale::chmod;
  all.utimens = stale::utimens;
  all.statfs = stale::statfs;
  char* arguments[] = {argv[0], argv[2], nullptr};
  return fuse_main(2, arguments, &all, nullptr);
}
