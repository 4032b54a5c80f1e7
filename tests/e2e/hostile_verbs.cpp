#include "tests/e2e/hostile_verbs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

namespace sweepd::e2e {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Its parameter chooses its end. Files beside it have its output and reports.
constexpr auto kTheirScript = R"(
case $SWEEPD_PARAM_ending in
  skips) cat "$1/skips" >&3 ;;
  fails) cat "$1/log"; cat "$1/log" >&2; exit 3 ;;
  garbage) cat "$1/log" >&3 ;;
  odd) cat "$1/odd" >&3 ;;
  *) cat "$1/log"; cat "$1/report" >&3 ;;
esac
)";

// As a YAML scalar and as JSON; bytes that are not UTF-8 become a character.
std::string quoted(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// `hole` returns the text of each place that a person may fill.
template <class Hole>
std::string sweep_file(const std::string& name, const fs::path& folder, Hole hole) {
  std::string file = "sweep: " + name + "\ndescription: " + hole() + "\nprogram: theirs\n";
  file += "parameters:\n  ending: {default: works, help: " + hole() +
          "}\n  size: {default: 1, unit: " + hole() + ", help: " + hole() + "}\n";
  file += "metrics: {rate: {unit: " + hole() + ", better: higher, help: " + hole() + "}}\n";
  file += "params: {argv: 'sh " + (folder / "theirs.sh").string() + " " + folder.string() +
          "', warmup: 0, steps: 1}\n";
  file += "matrix: {ending: [works, skips, fails, garbage, odd, " + hole() + "]}\n";
  file += "tables:\n  - {title: " + hole() + ", rows: [{ending: " + hole() +
          "}], metric: rate, cell: '{mean:.1f}'}\n  - {title: " + hole() +
          ", rows: [ending], values: [{name: " + hole() + ", metric: rate}], where: {ending: [" +
          hole() + "]}}\n";
  file += "plots:\n";
  for (int i = 0; i < 2; ++i) {
    file += "  - {title: " + hole() + ", x: ending, y: {mean: " + hole() + "}, metric: rate}\n";
  }
  return file;
}

std::string free_text(HostileTexts& texts) {
  return quoted(texts.any());
}

// A fact, a warning and a step.
std::string report_of(HostileTexts& texts) {
  return "{\"fact\":\"note\",\"text\":" + free_text(texts) +
         "}\n{\"fact\":\"warning.odd\",\"text\":" + free_text(texts) +
         "}\n{\"step\":0,\"time\":1,\"rate\":3}\n";
}

// Names that are none.
std::string odd_report_of(HostileTexts& texts) {
  const std::string phase = "{\"step\":0,\"time\":{\"step\":1," + free_text(texts) + ":2}}\n";
  const std::string fact = "{\"fact\":" + free_text(texts) + ",\"number\":1}\n";
  const std::string other = "{" + free_text(texts) + ":" + free_text(texts) + "}\n";
  return texts.one_of({phase, fact, other});
}

// A trace of torch.profiler with names of strangers.
std::string trace_of(HostileTexts& texts) {
  const auto event = [&](const char* category, int begin_us, const char* args) {
    return "{\"ph\":\"X\",\"cat\":\"" + std::string(category) + "\",\"name\":" + free_text(texts) +
           ",\"pid\":0,\"tid\":1,\"ts\":" + std::to_string(begin_us) + ",\"dur\":4,\"args\":{" +
           args + "}}";
  };
  return "{\"deviceProperties\":[{\"id\":0,\"name\":" + free_text(texts) + "}],\"traceEvents\":[" +
         event("user_annotation", 0, "") + "," + event("cpu_op", 1, "") + "," +
         event("cuda_runtime", 2, "\"correlation\":1") + "," +
         event("kernel", 9, "\"device\":0,\"stream\":7,\"correlation\":1") + "]}";
}

std::string study_file(HostileTexts& texts) {
  const auto hole = [&] { return quoted(texts.printable()); };
  return "study: theirs\ntitle: " + hole() + "\ndescription: " + hole() +
         "\nscales: {small: {description: " + hole() + "}}\nchapters:\n  - title: " + hole() +
         "\n    parts:\n      - text: " + hole() + "\n      - file: accepted.yaml\n";
}

std::set<std::string> verb_list(const std::string& text) {
  std::istringstream in(text);
  std::set<std::string> words;
  for (std::string word; in >> word;) words.insert(word);
  return words;
}

std::string format(HostileTexts& texts) {
  return texts.one_of({"md", "csv", "json", "text", "latex", "html"});
}

class Calls {
 public:
  Calls(const Known& known, const GivenFiles& given, fs::path out, HostileTexts& texts)
      : known_(known), given_(given), out_(std::move(out)), texts_(texts) {}

  std::vector<Asked> all() {
    read_sweeps();
    read_attempts();
    read_results();
    read_machine();
    submit();
    write_files();
    change();
    return std::move(calls_);
  }

 private:
  void add(std::vector<std::string> words) { calls_.push_back({std::move(words)}); }
  // In one of the formats. Only CSV gets every byte, and not at a terminal.
  void tables(std::vector<std::string> words) {
    words.insert(words.end(), {"--format", format(texts_)});
    const bool every_byte = words.back() == "csv";
    calls_.push_back({std::move(words), every_byte});
  }

  // Not CSV: at a terminal these verbs draw how far they are.
  std::string page_or_json() { return texts_.one_of({"md", "json", "text", "latex", "html"}); }

  void read_sweeps() {
    tables({"list"});
    for (const char* sweep : {kShownSweep, kTimedSweep, kOwnProgram}) {
      tables({"show", sweep});
      tables({"report", sweep, "--with", "outcome,verdict"});
      add({"watch", sweep});
    }
    calls_.push_back({{"show", kShownSweep, "--source"}, /*every_byte=*/true});
    tables({"show", known_.sweep.substr(0, 6)});
    add({"show", texts_.argument()});
    tables({"report", kShownSweep, "--notes", "all"});
    tables({"report", kShownSweep, "--table", texts_.argument()});
    tables({"usage"});
  }
  void read_attempts() {
    add({"show", known_.failed, "--steps"});
    tables({"show", known_.trial});
    tables({"show", known_.memory});
    add({"show", known_.memory, "--memory"});
    tables({"show", known_.profile, "--kernels"});
    tables({"show", known_.profile, "--kernels", "--by", "range"});
    tables({"show", known_.profile, "--kernels", "--layout", "pytorch"});
    add({"explain", known_.profile});
    add({"explain", texts_.argument()});
    calls_.push_back({{"log", known_.failed}, /*every_byte=*/true});
    add({"log", known_.failed, "--rank", "7"});
    add({"log", texts_.argument()});
    add({"export", known_.memory, "--format", texts_.one_of({"vega", "svg", "text"})});
  }
  void read_results() {
    tables({"query", "fault", "--rows", "kind", "--columns", "host,device_name", "--with",
            "n,attempts,outcome,attempt"});
    tables({"query", "--sweep", kOwnProgram, "--rows", "kind", "--metric", "rate"});
    tables({"query", kOwnProgram, "--where", "kind=" + texts_.argument()});
    tables({"query", "fault", "--metric", "fact.kind", "--cell", "{text}", "--rows", "kind"});
    tables({"query", "fault", "--cell", texts_.argument(), "--title", texts_.argument()});
    tables({"query", "fault", "--rows", texts_.argument()});
    for (const char* kind : {"vega", "svg", "text"}) {
      add({"plot", kShownSweep, "--format", kind});
    }
    add({"plot", "fault", "--x", "kind", "--y", "median", "--title", texts_.argument(), "--format",
         texts_.one_of({"vega", "svg", "text"})});
    for (const std::string& sweep : {std::string(kOwnProgram), texts_.argument()})
      add({"reread", sweep});
    tables({"compare", kShownSweep, kShownSweep});
    tables({"compare", kTimedSweep, "--by", "steps=2,3"});
    tables({"compare", kTimedSweep, "--by", "steps=2,3", "--kernels"});
    add({"compare", texts_.argument()});
    tables({"workloads"});
    tables({"workloads", kOwnProgram});
    add({"workloads", texts_.argument()});
  }
  void read_machine() {
    for (const char* verb : {"devices", "config", "doctor"}) tables({verb});
    add({"--config", given_.config, "config"});
    add({"status"});
    add({"emit", "fact", "NAME=" + texts_.argument()});
    add({"new-workload", "../" + texts_.argument()});
    add({"emit", texts_.argument()});
    for (const char* words : {"bash", "zsh", "fish", "sweeps", "workloads"})
      add({"completion", words});
    add({texts_.argument()});
    add({"list", "--" + texts_.argument()});
  }
  void submit() {
    tables({"plan", given_.accepted});
    tables({"plan", given_.refused});
    for (const std::string& file : {given_.accepted, given_.refused}) {
      add({"try", file, "--set", "ending=" + texts_.one_of({"skips", "odd"})});
    }
    add({"import", given_.trace, "--format", page_or_json()});
    add({"import", given_.trace, "--name", "traced"});
    add({"import", given_.refused, "--name", texts_.argument()});
    tables({"show", "traced"});
    add({"explain", "traced"});
    tables({"compare", "traced", "traced", "--kernels"});
    add({"submit", given_.refused});
    add({"submit", given_.accepted, "--set", "ending=" + texts_.argument(), "--wait"});
    add({"submit", given_.accepted, "--wait"});
    add({"run", given_.accepted, "--format", page_or_json()});
    add({"frontier", given_.accepted, "--axis", "ending", "--format", page_or_json()});
    add({"frontier", given_.refused, "--axis", texts_.argument()});
    tables({"noise", "--sweep", kTimedSweep});
    add({"noise", given_.refused, "--processes", "2", "--format", page_or_json()});
    tables({"report", "accepted", "--notes", "all"});
    tables({"query", "theirs", "--rows", "ending", "--metric", "fact.note", "--cell", "{text}"});
    tables({"show", "accepted"});
    calls_.push_back({{"show", "accepted", "--source"}, /*every_byte=*/true});
    tables({"workloads", "theirs"});
    tables({"reference", "add", given_.figures});
    tables({"reference", "list"});
    add({"reference", "remove", texts_.argument()});
  }
  void write_files() {
    add({"plot", "accepted", "-o", out_ / "plots", "--format", texts_.one_of({"vega", "svg"})});
    add({"plot", kShownSweep, "-o", out_ / "shown", "--format", texts_.one_of({"vega", "svg"})});
    add({"report", "accepted", "-o", out_ / "accepted.html"});
    add({"report", kShownSweep, "-o", out_ / "shown.html"});
    add({"study", given_.study, "--check"});
    add({"study", given_.study, "--dry-run"});
    add({"study", given_.study, "--now", "-o", out_ / "writeup"});
    add({"study", given_.study, "--now", "--short", "-o", out_ / "writeup"});
    add({"bundle", known_.failed, "-o", out_ / "bundle.tar.gz"});
    add({"backup", out_ / "backup.db"});
  }
  void change() {
    add({"recover", "--dry-run"});
    add({"recover"});
    add({"pause", "accepted"});
    add({"pause", "--device", texts_.argument()});
    add({"resume", "accepted"});
    add({"resume", texts_.argument()});
    add({"cancel", texts_.argument()});
    add({"cancel", "accepted"});
    add({"retry", "accepted", "--wait"});
    add({"retry", kShownSweep, "--wait"});
    add({"retry", kShownSweep, "--only", texts_.argument()});
    tables({"merge", texts_.argument()});
    add({"compact", "--older", "0s", "--dry-run"});
    add({"compact", "--older", "0s"});
    add({"delete", texts_.argument(), "--yes"});
    add({"delete", kShownSweep, "--dry-run"});
    add({"delete", kShownSweep, kOwnProgram, "--yes"});
    add({"delete", "--older", "1ns", "--yes"});
    add({"list"});
    add({"stop"});
  }

  const Known& known_;
  const GivenFiles& given_;
  fs::path out_;
  HostileTexts& texts_;
  std::vector<Asked> calls_;
};

}  // namespace

std::set<std::string> verbs_of_program(const Sandbox& box) {
  const std::string help = box.ctl({"--help"}).out;
  std::istringstream lines(help.substr(help.find("Subcommands:")));
  std::set<std::string> verbs;
  const std::regex verb("^  ([a-z_-]+)  .*");
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, verb)) verbs.insert(found[1]);
  }
  return verbs;
}

std::set<std::string> verbs_of_files(const Sandbox& box) {
  std::string help = box.ctl({"--help"}).out;
  help.erase(0, help.find("instead of asking the daemon; for "));
  help.erase(0, help.find("for "));
  help.erase(help.find("\n  -"));
  std::set<std::string> verbs;
  const std::set<std::string> all = verbs_of_program(box);
  for (std::string word : verb_list(help)) {
    if (word.back() == ',') word.pop_back();
    if (all.contains(word)) verbs.insert(word);
  }
  return verbs;
}

GivenFiles write_given_files(const Sandbox& box, HostileTexts& texts) {
  const fs::path folder = box.folder() / "given";
  fs::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    return box.write("given/" + name, text);
  };
  write("theirs.sh", kTheirScript);
  write("log", texts.any() + "\n" + texts.any());
  write("report", report_of(texts));
  write("odd", odd_report_of(texts));
  write("skips", "{\"skipped\":" + free_text(texts) + "}\n");
  const auto printable = [&] { return quoted(texts.printable()); };
  int left = static_cast<int>(texts.below(18));  // one hole is filled with anything
  const auto any_in_one = [&] { return quoted(left-- == 0 ? texts.any() : texts.printable()); };
  GivenFiles given;
  given.trace = write("a trace.json", trace_of(texts));
  given.accepted = write("accepted.yaml", sweep_file("accepted", folder, printable));
  given.refused =
      write("refused.yaml",
            sweep_file(texts.below(2) == 0 ? "refused" : free_text(texts), folder, any_in_one));
  given.study = write("study.yaml", study_file(texts));
  write("figures.yaml", "reference: theirs\ndescription: " + printable() + "\nrules: []\n");
  given.figures = write("figures.csv", "source,workload,metric,value,unit,kind\n" + printable() +
                                           ",fault,time,1,ms,done\n" + printable() +
                                           ",noop,time,x,ms," + texts.any() + "\n");
  given.config =
      write("config.yaml", "pools: {" + printable() + ": {slurm: {partition: " + printable() +
                               "}, runs: " + printable() + "}}\n");
  return given;
}

std::vector<Asked> ask_every_verb(const Known& known, const GivenFiles& given, const fs::path& out,
                                  HostileTexts& texts) {
  return Calls(known, given, out, texts).all();
}

}  // namespace sweepd::e2e
