#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runner/base/files.h"
#include "runner/base/gzip_file.h"
#include "runner/base/ids.h"
#include "runner/base/say.h"
#include "runner/base/temporary_folder.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/client/session/run_program.h"
#include "runner/model/machine/private_values.h"
#include "runner/report/cell/report.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/event.h"
#include "runner/wire/journal.h"
#include "runner/wire/json_text.h"
#include "runner/wire/messages/machine.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestFile = 64 << 20;  // a trace may be larger than anybody mails
constexpr const char* kLeftOutText = "(left out)";

void leave_out_environment(std::vector<Table>& tables) {
  for (Table& table : tables) {
    if (table.title != "Parameters") continue;
    for (std::vector<Cell>& row : table.rows) {
      if (holds_environment(row[0].text) && !row[1].text.empty()) row[1].text = kLeftOutText;
    }
  }
}

// As it is packed; "" if it is no request.
struct PackedRequest {
  std::string text;
  bool has_secrets = true;  // its program may have got some
};

PackedRequest without_environment(const std::string& text) {
  nlohmann::ordered_json request = parse_ordered_json(text);
  if (!request.is_object() || !request.contains("params")) return {};
  for (auto& [name, value] : request["params"].items()) {
    if (holds_environment(name) && value.is_string() && !value.get<std::string>().empty()) {
      value = kLeftOutText;
    }
  }
  const auto secrets = request["params"].find("secrets");
  const bool none = secrets == request["params"].end() ||
                    (secrets->is_string() && secrets->get_ref<const std::string&>().empty());
  return {to_indented_json(request) + "\n", !none};
}

// Copies a file as it was before it may have been compressed, and returns its length. One that is
// too large is not copied, and one that is compressed not read to its end.
Result<std::int64_t> copy_kept(const fs::path& from, const fs::path& to) {
  std::error_code none;
  const auto size = static_cast<std::int64_t>(fs::file_size(from, none));
  if (!none && size > kLargestFile) return size;  // only a compressed one must be read for that
  auto file = GzipFile::open(from, Links::kRefuse);
  if (!file) return file.error();
  const UniqueFd out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out) return Error{ErrorCode::kIo, fmt::format("cannot create `{}`", to.string())};
  std::int64_t bytes = 0;
  while (true) {
    const auto piece = file->read(1 << 20);
    if (!piece) return piece.error();
    if (piece->empty()) break;
    bytes += static_cast<std::int64_t>(piece->size());
    if (bytes > kLargestFile) break;
    if (auto written = write_all(out.get(), *piece, to); !written) return written.error();
  }
  if (bytes > kLargestFile) fs::remove(to, none);
  return bytes;
}

// The name of a file before it may have been compressed; "" if it has no place in a bundle, or is
// there by that name too.
std::string original_name(const fs::path& entry) {
  std::string name = entry.filename().string();
  if (entry.extension() == ".new" && entry.stem().extension() == ".gz") return "";
  if (entry.extension() != ".gz" || !AttemptFolder::is_record(entry.stem().string())) return name;
  std::error_code none;
  const fs::path original = entry.parent_path() / entry.stem();
  return fs::exists(original, none) ? "" : entry.stem().string();
}

// Whether each rank told its end. Its worker had hidden secrets in the program's files before.
bool have_told_their_end(const fs::path& folder) {
  bool all = true, any = false;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string name = original_name(entry.path());
    if (!AttemptFolder::is_record(name) || !name.starts_with("events.")) continue;
    bool told = false;
    read_journal(folder / name, 0,
                 [&told](const Event& event) { told |= std::holds_alternative<EndEvent>(event); });
    any = true;
    all = all && told;
  }
  return any && all;
}

// Whether sweepd wrote the file, from what was hidden already.
bool is_of_sweepd(const std::string& name) {
  return name == "ending.json" || name == "outcome.json" || AttemptFolder::is_of_process(name) ||
         (AttemptFolder::is_record(name) &&
          (name.starts_with("events.") || name.starts_with("log.")));
}

// Copies the attempt's files and returns what was left out, for the reader of the bundle.
Result<std::string> copy_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  std::string left_out;
  const AttemptFolder folder(from);
  const auto text = read_regular(folder.request(), Links::kRefuse, kLargestFile);
  const PackedRequest request = text ? without_environment(*text) : PackedRequest();
  if (request.text.empty()) {
    left_out += "- `request.json`: it cannot be read\n";
  } else if (auto written = replace_file(to / "request.json", request.text); !written) {
    return written.error();
  }
  const bool may_have_secrets = request.has_secrets && !have_told_their_end(from);
  for (const auto& entry : fs::directory_iterator(from, error)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const std::string name = original_name(entry.path());
    if (name.empty() || name == "request.json") continue;
    if (may_have_secrets && !is_of_sweepd(name)) {
      left_out +=
          fmt::format("- `{}`: the program wrote it and may have put a secret into it\n", name);
      continue;
    }
    const auto bytes = copy_kept(from / name, to / name);
    if (!bytes) return bytes.error();
    if (*bytes > kLargestFile) {
      left_out += fmt::format("- `{}`: larger than {}; it is in {}\n", name,
                              to_human(Bytes{kLargestFile}), from.string());
    }
  }
  if (error)
    left_out += fmt::format("- the attempt's folder {}: {}\n", from.string(), error.message());
  return left_out;
}

std::string about(Client& client, std::vector<Table> tables) {
  leave_out_environment(tables);
  std::string text;
  for (const Table& table : tables) {
    if (!table.rows.empty()) text += to_markdown(table) + "\n";
  }
  const auto status = client.call<rpc::Status>({});
  if (status) text += fmt::format("sweepd {} ({})\n", status->version, status->commit);
  return text;
}

// Copies a file to standard output.
Result<void> print_file(const fs::path& file) {
  const auto from = open_regular(file, Links::kRefuse);
  if (!from) return from.error();
  while (true) {
    const auto piece = read_all(from->get(), 1 << 20);
    if (!piece) return piece.error();
    if (piece->empty()) return {};
    if (auto written = write_all(STDOUT_FILENO, *piece, "standard output"); !written) {
      return written;
    }
  }
}

// `-` is standard output.
Result<void> pack(const fs::path& folder, const std::string& name, const std::string& file) {
  const bool prints = file == "-";
  if (prints && ::isatty(STDOUT_FILENO) != 0) {
    return Error{ErrorCode::kInvalidArgument,
                 "--output: an archive is not for a terminal; expected a file, or a pipe"};
  }
  // Whole, because tar takes `a:b` for a file of the host `a`.
  const fs::path archive = prints ? folder / "archive" : fs::absolute(file);
  const auto ran = run_program({"tar", "--create", "--gzip", "--file", archive.string(),
                                "--directory", folder.string(), name},
                               "");
  if (!ran) return ran.error();
  if (ran->status == 0) return prints ? print_file(archive) : Result<void>();
  return Error{ErrorCode::kIo, fmt::format("tar could not write `{}`: {}", file, ran->errors)};
}

Exit bundle(Client& client, const std::string& attempt, std::string file) {
  const auto shown = client.call<rpc::Show>({.what = attempt, .steps = true});
  if (!shown) return report_error(shown.error());
  if (!shown->attempt || !shown->tables) {
    return report_error({ErrorCode::kInvalidArgument,
                         fmt::format("`{}` is no attempt; `sweepctl show {}` lists its attempts",
                                     attempt, attempt)});
  }
  const std::string name = fmt::format("attempt-{}", short_id(shown->attempt->id));
  if (file.empty()) file = name + ".tar.gz";
  const auto scratch = TemporaryFolder::make("bundle");
  if (!scratch) return report_error(scratch.error());
  const fs::path folder = scratch->path() / name;
  std::error_code error;
  if (!fs::create_directory(folder, error)) {
    return report_error({ErrorCode::kIo, fmt::format("cannot make the folder {}: {}",
                                                     folder.string(), error.message())});
  }
  std::string text = about(client, *shown->tables);
  const auto log = client.call<rpc::Log>({.attempt = shown->attempt->id, .bytes = 1});
  std::string left_out;
  if (log) {
    auto copied = copy_files(fs::path(log->path).parent_path(), folder);
    if (!copied) return report_error(copied.error());
    left_out = std::move(*copied);
  } else {
    left_out = fmt::format("- journal, log and request: {}\n", log.error().message);
  }
  if (!left_out.empty()) text += "\nNot in this bundle:\n\n" + left_out;
  if (const auto written = replace_file(folder / "attempt.md", text); !written) {
    return report_error(written.error());
  }
  if (const auto packed = pack(scratch->path(), name, file); !packed)
    return report_error(packed.error());
  if (file != "-") say("{}\n", file);
  say(stderr,
      "note: variables of the environment are left out; look through the log before you "
      "publish it\n");
  return Exit::kOk;
}

}  // namespace

void add_bundle(Command& app, Client& client) {
  auto attempt = std::make_shared<std::string>();
  auto file = std::make_shared<std::string>();
  Command* command = app.add_subcommand("bundle", "Pack an attempt for a bug report");
  command->add_option("ATTEMPT", *attempt, "id or unique prefix; `show SWEEP` lists them")
      ->required();
  command->add_option("-o,--output", *file,
                      "the archive; - is standard output [default: attempt-ID.tar.gz]");
  command->footer(
      "The archive has the output of `show ATTEMPT --steps` and the attempt's request, journal, "
      "log and\n"
      "traces, without the values of environment variables.\n"
      "Example: sweepctl bundle 3f9c2a7b -o report.tar.gz");
  command->callback([&client, attempt, file] {
    client.action = [&client, attempt, file] { return bundle(client, *attempt, *file); };
  });
}

}  // namespace sweepd
