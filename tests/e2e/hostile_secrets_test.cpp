// A secret is stored nowhere and printed by no verb, for any form in which its program writes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string_view>

#include "tests/e2e/hostile_verbs.h"
#include "tests/e2e/lost_database.h"
#include "tests/fault_seed.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;

// Every character escaped.
std::string all_escaped(const std::string& text) {
  const std::string ascii = nlohmann::json(text).dump(-1, ' ', true);
  std::string out;
  for (std::size_t at = 1; at + 1 < ascii.size(); ++at) {
    const bool escape = ascii[at] == '\\';
    if (escape) {
      const std::size_t length = ascii[at + 1] == 'u' ? 6 : 2;
      out += ascii.substr(at, length);
      at += length - 1;
    } else {
      char code[7];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned char>(ascii[at]));
      out += code;
    }
  }
  return out;
}

std::string slashes_escaped(const std::string& text) {
  return std::regex_replace(text, std::regex("/"), "\\/");
}

std::string utf8_of(unsigned point) {
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) {
    return {static_cast<char>(0xc0U | (point >> 6)), static_cast<char>(0x80U | (point & 0x3fU))};
  }
  return {static_cast<char>(0xe0U | (point >> 12)),
          static_cast<char>(0x80U | ((point >> 6) & 0x3fU)),
          static_cast<char>(0x80U | (point & 0x3fU))};
}

// The text with each place at `mark` replaced by `decode`, which appends to the text and returns
// the place's length; 0: no place.
template <class Decode>
std::string decoded(const std::string& text, char mark, Decode decode) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length =
        text[at] == mark ? decode(std::string_view(text).substr(at), out) : 0;
    if (length == 0) out += text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

// The number that the next `digits` are; nothing if they are none.
std::optional<unsigned> number_at(std::string_view text, std::size_t at, std::size_t digits,
                                  int base) {
  unsigned value = 0;
  if (at + digits > text.size()) return std::nullopt;
  const char* end = text.data() + at + digits;
  const auto [stop, error] = std::from_chars(text.data() + at, end, value, base);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::string from_json(const std::string& text) {
  return decoded(text, '\\', [](std::string_view place, std::string& out) -> std::size_t {
    if (place.size() < 2) return 0;
    const auto point = place[1] == 'u' ? number_at(place, 2, 4, 16) : std::nullopt;
    out += point ? utf8_of(*point) : place[1] == 'n' ? std::string("\n") : std::string(1, place[1]);
    return point ? 6 : 2;
  });
}
std::string from_percent(const std::string& text) {
  return decoded(text, '%', [](std::string_view place, std::string& out) -> std::size_t {
    const auto byte = number_at(place, 1, 2, 16);
    if (!byte) return 0;
    out += static_cast<char>(*byte);
    return 3;
  });
}
std::string from_html(const std::string& text) {
  return decoded(text, '&', [](std::string_view place, std::string& out) -> std::size_t {
    const std::size_t end = place.substr(0, 9).find(';');
    if (end == std::string_view::npos) return 0;
    const std::string_view name = place.substr(1, end - 1);
    for (const auto& [known, means] :
         {std::pair{"quot", "\""}, {"lt", "<"}, {"gt", ">"}, {"amp", "&"}, {"apos", "'"}}) {
      if (name != known) continue;
      out += means;
      return end + 1;
    }
    if (!name.starts_with('#')) return 0;
    const bool hex = name.starts_with("#x");
    const std::size_t begin = hex ? 2 : 1;
    const auto point = number_at(name, begin, name.size() - begin, hex ? 16 : 10);
    if (!point) return 0;
    out += utf8_of(*point);
    return end + 1;
  });
}

// The ways to read a text.
std::map<std::string, std::string> readings_of(const std::string& text) {
  const std::string unescaped = from_json(text);
  return {{"plain", text},
          {"escaped as in JSON", unescaped},
          {"escaped as in an address", from_percent(text)},
          {"escaped as in HTML", from_html(text)},
          {"escaped as in HTML within JSON", from_html(unescaped)}};
}

// The file's content, that of an archive or a compressed file unpacked.
std::string unpacked(const Sandbox& box, const fs::path& file) {
  const std::string name = file.filename();
  if (name.ends_with(".tar.gz")) return box.run("/bin/tar", {"-xzOf", file}).out;
  if (name.ends_with(".gz")) return box.run("/bin/gzip", {"-dc", file}).out;
  return content_of(file);
}

struct HostileSecrets : testing::Test {
  HostileTexts texts{fault_seed()};
  const Sandbox box;
  const std::string file_secret = secret();
  const std::string many_lines =
      "-----BEGIN KEY-----\n" + secret() + "\n" + secret() + "\n-----END KEY-----";

  std::string secret() {
    std::string value = "hf";
    for (int i = 0; i < 6; ++i) {
      value += texts.one_of(
          {"\"", "\\", "/", "ü", "漢", "<", "&", "'", "%41", "a b", "0123", "=", "$x", "`"});
    }
    return value + "-secret" + std::to_string(texts.below(1'000'000));
  }

  // A program that writes both secrets in every way, in its output, in facts and as its reason.
  std::string program() {
    std::string log, report, skip;
    int n = 0;
    for (const std::string& value : {file_secret, many_lines}) {
      const std::string plain = nlohmann::json(value).dump();
      const std::string inside = plain.substr(1, plain.size() - 2);
      log += value + "\n" + plain + "\n";
      for (const std::string& way : {inside, slashes_escaped(inside), all_escaped(value)}) {
        const std::string text = "\"of " + way + " it\"";
        log += text + "\n";
        report += "{\"fact\":\"" + std::string(n % 2 == 0 ? "note" : "warning.note") +
                  std::to_string(n) + "\",\"text\":" + text + "}\n";
        ++n;
        skip = "{\"skipped\":" + text + "}\n";
      }
    }
    const fs::path folder = box.folder() / "program";
    fs::create_directories(folder);
    box.write("program/log", log);
    box.write("program/report", report + "{\"step\":0,\"time\":1}\n");
    box.write("program/skip", skip);
    box.write("program/run.sh",
              "case $SWEEPD_PARAM_ending in\n skips) cat \"$1/skip\" >&3 ;;\n"
              " fails) cat \"$1/log\" >&2; exit 3 ;;\n garbage) cat \"$1/log\" >&3 ;;\n"
              " *) cat \"$1/log\"; cat \"$1/report\" >&3 ;;\nesac\n");
    return "sweep: shown\nprogram: own\nparameters: {ending: works}\nparams: {argv: 'sh " +
           (folder / "run.sh").string() + " " + folder.string() +
           "', secrets: HF_TOKEN HF_KEY, warmup: 0, steps: 1}\n"
           "matrix: {ending: [works, skips, fails, garbage]}\n"
           "tables: [{title: T, rows: [ending], metric: fact.note0, cell: '{text}'}]\n"
           "plots: [{title: P, x: ending, y: mean}]\n";
  }

  void expect_no_secret(const std::string& text, const std::string& where) {
    // A line of several alone is as bad.
    const std::size_t begin = many_lines.find('\n') + 1;
    const std::string line = many_lines.substr(begin, many_lines.find('\n', begin) - begin);
    for (const auto& [how, reading] : readings_of(text)) {
      for (const std::string& value : {file_secret, many_lines, line}) {
        EXPECT_EQ(reading.find(value), std::string::npos) << where << ", " << how << ": " << value;
      }
    }
  }
};

TEST_F(HostileSecrets, AreInNoOutputAndNoFileInAnyEncoding) {
  ::setenv("HF_KEY", many_lines.c_str(), 1);
  fs::create_directories(box.state());
  std::ofstream(box.state() / "secrets") << "HF_TOKEN=" << file_secret << "\n";
  fs::permissions(box.state() / "secrets", fs::perms::owner_read | fs::perms::owner_write);
  const Ran ran = box.ctl({"submit", "-", "--wait"}, program());
  ASSERT_EQ(ran.exit_code, 4) << ran.out << ran.err;
  EXPECT_EQ(box.sql("select group_concat(outcome) from (select outcome from attempt order by 1)"),
            "done,failed,failed,skipped");
  const Known known{box.sql("select uid from attempt where outcome = 'failed'"),
                    box.sql("select uid from attempt where outcome = 'skipped'"),
                    box.sql("select uid from attempt where outcome = 'done'"),
                    box.sql("select key from trial limit 1"), box.sql("select uid from sweep")};
  const fs::path out = box.folder() / "out";
  fs::create_directories(out);
  for (const std::string& attempt : {known.failed, known.memory, known.profile}) {
    box.ctl({"bundle", attempt, "-o", out / (attempt + ".tar.gz")});
    expect_no_secret(box.ctl({"log", attempt}).out, "log");
    expect_no_secret(box.ctl({"show", attempt, "--steps"}).out, "show");
  }
  box.ctl({"backup", out / "early.db"});
  for (const auto& entry : fs::recursive_directory_iterator(box.state())) {
    if (!entry.is_regular_file() || entry.path().filename() == "secrets") continue;
    expect_no_secret(content_of(entry.path()), entry.path());
  }
  const GivenFiles given = write_given_files(box, texts);
  for (const Asked& asked : ask_every_verb(known, given, out, texts)) {
    const Ran verb = ask(box, asked);
    expect_no_secret(verb.out + verb.err, testing::PrintToString(asked.words));
  }
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    if (entry.is_regular_file()) expect_no_secret(unpacked(box, entry.path()), entry.path());
  }
  ::unsetenv("HF_KEY");
}

}  // namespace
}  // namespace sweepd::e2e
