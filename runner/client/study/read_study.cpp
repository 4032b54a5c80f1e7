#include "runner/client/study/read_study.h"

#include <filesystem>

#include "runner/wire/messages/study.h"

namespace sweepd {

std::string StudySource::path_of(const std::string& named) const {
  return (std::filesystem::path(file).parent_path() / named).lexically_normal().string();
}

Result<StudySource> read_study(Client& client, const std::string& file, const std::string& scale) {
  StudySource source;
  source.file = file;
  auto text = read_sweep_file(file);
  if (!text) return text.error();
  rpc::ReadStudy::Request request;
  request.text = std::move(*text);
  request.file = file;
  request.scale = scale;
  const auto named = client.call<rpc::ReadStudy>(request);
  if (!named) return named.error();
  for (const std::string& name : named->files) {
    auto sweeps = load_sweep_file(source.path_of(name), {});
    if (!sweeps) return sweeps.error();
    request.names.push_back(name);
    request.texts.push_back(sweeps->text);
    source.files.emplace(name, std::move(*sweeps));
  }
  auto whole = client.call<rpc::ReadStudy>(request);
  if (!whole) return whole.error();
  source.study = std::move(whole->study);
  return source;
}

}  // namespace sweepd
