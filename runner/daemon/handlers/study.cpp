#include "runner/sweepfile/study/study.h"

#include <fmt/format.h>

#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/planning/prepare.h"

namespace sweepd {
namespace {

// The sweep files of a request, by the names that the study has for them.
class GivenFiles {
 public:
  GivenFiles(const Services& services, const rpc::ReadStudy::Request& request)
      : services_(services) {
    for (std::size_t i = 0; i < request.names.size(); ++i) {
      const std::string folder = request.folders.empty() ? "" : request.folders[i];
      files_.emplace(request.names[i], File{request.texts[i], folder});
    }
  }

  std::optional<StudySweeps> read(const std::string& file, const std::vector<Override>& set) const {
    const auto found_file = files_.find(file);
    if (found_file == files_.end()) return std::nullopt;
    const auto& [text, folder] = found_file->second;
    const AskedOfWorker ask{nullptr, ask_worker_of(services_, folder).plugins};
    const auto prepared =
        prepare_sweeps(text, file, services_.catalog, services_.dispatcher.pools(), set, ask);
    StudySweeps found{{}, std::move(prepared->unfit), ""};
    if (!prepared->errors.empty()) {
      const Diagnostic& first = prepared->errors.front();
      found.mistake = fmt::format(
          "{}{}{}", first.line > 0 ? fmt::format("{}:{}: ", first.line, first.column) : "",
          first.message, first.help.empty() ? "" : " (" + first.help + ")");
    }
    if (prepared->refusal) found.mistake = prepared->refusal->message;
    for (PreparedSweep& one : prepared->sweeps) found.sweeps.push_back(std::move(one.sweep));
    return found;
  }

 private:
  struct File {
    std::string text, folder;
  };
  const Services& services_;
  std::map<std::string, File> files_;
};

}  // namespace

boost::asio::awaitable<Answer<rpc::ReadStudy>> handle_study(Services& services, Session&,
                                                            rpc::ReadStudy::Request request) {
  if (request.names.size() != request.texts.size()) {
    co_return Error{ErrorCode::kInvalidArgument,
                    fmt::format("`names` has {} entries and `texts` {}; expected as many of both",
                                request.names.size(), request.texts.size())};
  }
  if (!request.folders.empty() && request.folders.size() != request.names.size()) {
    co_return Error{ErrorCode::kInvalidArgument,
                    fmt::format("`names` has {} entries and `folders` {}; expected as many or none",
                                request.names.size(), request.folders.size())};
  }
  const auto work = [&services, &request] {
    const GivenFiles files(services, request);
    const ReadSweeps read = [&files](const std::string& file, const std::vector<Override>& set) {
      return files.read(file, set);
    };
    return parse_study(request.text, request.file, request.scale, services.catalog, read);
  };
  ParsedStudy parsed = co_await services.slow.compute(work);
  if (!parsed.errors.empty()) co_return diagnostics_error(parsed.errors);
  co_return rpc::ReadStudy::Reply{std::move(parsed.study), std::move(parsed.files)};
}

}  // namespace sweepd
