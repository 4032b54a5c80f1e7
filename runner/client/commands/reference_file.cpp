#include "runner/client/commands/reference_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "runner/base/files.h"

namespace sweepd {
namespace {

constexpr std::int64_t kMaxReferenceBytes = 3 << 20;  // a request has at most 4 MiB

Result<std::string> read_reference(const std::string& file) {
  auto text = read_regular(file, Links::kFollow, kMaxReferenceBytes + 1);
  if (!text) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot read `{}`: {}", file, text.error().message)};
  }
  if (static_cast<std::int64_t>(text->size()) <= kMaxReferenceBytes) return text;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("`{}` has more than {} bytes (3 MiB)", file, kMaxReferenceBytes)};
}

}  // namespace

Result<ReferenceSummary> add_reference_file(Client& client, const std::string& file,
                                            const std::string& mapping) {
  const std::filesystem::path path(file);
  rpc::ReferenceAdd::Request request;
  auto rows = read_reference(file);
  if (!rows) return rows.error();
  request.rows = std::move(*rows);
  request.rows_file = file;
  request.name = path.stem();
  request.mapping_file =
      mapping.empty() ? std::filesystem::path(path).replace_extension(".yaml").string() : mapping;
  if (!mapping.empty() || std::filesystem::exists(request.mapping_file)) {
    auto text = read_reference(request.mapping_file);
    if (!text) return text.error();
    request.mapping = std::move(*text);
  }
  auto reply = client.call<rpc::ReferenceAdd>(request);
  if (!reply) return reply.error();
  return std::move(reply->reference);
}

}  // namespace sweepd
