// `sweepctl show ATTEMPT --kernels`
#include <fmt/format.h>

#include <array>
#include <utility>

#include "runner/base/gzip_file.h"
#include "runner/base/text.h"
#include "runner/daemon/handlers/find_profile.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/model/sweep/run_params.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {

namespace {

constexpr std::array<std::pair<std::string_view, KernelGrouping>, 4> kGroupings{
    {{"name", KernelGrouping::kName},
     {"launch", KernelGrouping::kLaunch},
     {"range", KernelGrouping::kRange},
     {"class", KernelGrouping::kClass}}};
constexpr std::array<std::pair<std::string_view, KernelLayout>, 2> kLayouts{
    {{"nsys", KernelLayout::kNsys}, {"pytorch", KernelLayout::kPytorch}}};

template <class Choices, class T>
Result<void> choose(const Choices& choices, std::string_view member, const std::string& word,
                    T& out) {
  std::vector<std::string> words;
  for (const auto& [name, value] : choices) {
    words.emplace_back(name);
    if (word != name) continue;
    out = value;
    return {};
  }
  return Error{ErrorCode::kInvalidArgument, std::string(member) + ": `" + word +
                                                "` is unknown; expected " + join(words, ", ") +
                                                did_you_mean(word, words)};
}

Result<rpc::Kernels::Reply> kernels_of(Reader& reader, const std::string& who,
                                       const KernelView& view) {
  const auto attempt = find_profile(reader, who);
  if (!attempt) return attempt.error();
  auto tables = reader.attempt_kernels(attempt->row, view);
  if (!tables) return tables.error();
  return rpc::Kernels::Reply{*attempt, std::move(*tables), {}};
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Kernels>> handle_kernels(ReadServices& services, Session&,
                                                            rpc::Kernels::Request request) {
  KernelView view;
  view.phase = request.phase;
  if (view.phase == "step") view.phase.clear();  // the whole step, as everywhere
  view.rank = request.rank;
  view.top = request.top;
  if (const auto chosen = choose(kGroupings, "by", request.by, view.by); !chosen)
    co_return chosen.error();
  if (const auto chosen = choose(kLayouts, "layout", request.layout, view.layout); !chosen) {
    co_return chosen.error();
  }
  const auto ask = [&request, &view](Reader& r) { return kernels_of(r, request.attempt, view); };
  auto shown = co_await services.readers.run(ask);
  if (!shown) co_return shown.error();
  const auto folder = services.folder_of(shown->attempt.pool, shown->attempt.id);
  if (!folder) co_return folder.error();
  const std::function<void()> look = [&] {
    std::error_code ignored;
    const auto trace = plain_or_gzip(folder->trace(view.rank));
    if (std::filesystem::exists(trace, ignored)) shown->trace = trace;
  };
  co_await services.at_files(shown->attempt.pool, look);
  co_return std::move(*shown);
}

}  // namespace sweepd
