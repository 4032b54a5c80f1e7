#include "runner/trace/snapshot.h"

#include <fmt/format.h>

#include <functional>
#include <string>
#include <utility>

#include "runner/base/gzip_file.h"
#include "runner/trace/pickle_steps.h"
#include "runner/trace/snapshot_stack.h"

namespace sweepd::trace {
namespace {

constexpr std::int64_t kPieceOfSnapshot = 256 << 10;

Result<MemorySnapshot> read_steps(std::function<Result<std::string>()> more,
                                  std::string_view shown) {
  const auto about = [&](const Error& error, const std::string& words) {
    return Error{error.code, fmt::format("`{}`: {}", shown, words)};
  };
  PickleSteps steps(std::move(more));
  SnapshotStack stack;
  PickleStep step;
  do {
    if (!steps.next(step)) {
      const Error& error = steps.error();
      return error.code == ErrorCode::kIo ? error : about(error, error.message);
    }
    if (!stack.run(step)) {
      return about(stack.mistake(),
                   fmt::format("byte {}: {}", step.offset, stack.mistake().message));
    }
  } while (step.op != PickleOp::kStop);
  return *stack.take();
}

}  // namespace

Result<MemorySnapshot> read_snapshot(const std::filesystem::path& file) {
  auto opened = GzipFile::open_by_content(file, Links::kFollow);
  if (!opened) return opened.error();
  return read_steps([&] { return opened->read(kPieceOfSnapshot); }, file.string());
}

Result<MemorySnapshot> parse_snapshot(std::string_view bytes, std::string_view shown,
                                      std::size_t piece_bytes) {
  const auto more = [&]() -> Result<std::string> {
    const std::string_view piece = bytes.substr(0, piece_bytes);
    bytes.remove_prefix(piece.size());
    return std::string(piece);
  };
  return read_steps(more, shown);
}

}  // namespace sweepd::trace
