#include "tests/e2e/random_requests.h"

#include <set>

#include "runner/wire/messages/machine.h"
#include "runner/wire/messages/pause.h"
#include "runner/wire/messages/plan.h"
#include "runner/wire/messages/plots.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/messages/reference.h"
#include "runner/wire/messages/results.h"
#include "runner/wire/messages/study.h"
#include "runner/wire/messages/try.h"
#include "runner/wire/messages/upkeep.h"

namespace sweepd::e2e {
namespace {

using nlohmann::json;

template <class M>
MethodRule rule() {
  MethodRule method{std::string(M::kName), {}};
  typename M::Request request;
  M::Request::visit(
      request, [&]<class T, class... Options>(std::string_view name, const T&, const char*,
                                              const Options&... options) {
        constexpr MemberKind kKind = std::is_same_v<T, bool>          ? MemberKind::kTruth
                                     : std::is_integral_v<T>          ? MemberKind::kInteger
                                     : std::is_same_v<T, std::string> ? MemberKind::kText
                                                                      : MemberKind::kTexts;
        const Limits limits = option_or(Limits{}, options...);
        method.members.push_back({std::string(name), kKind, has_option<Required, Options...>,
                                  limits.least, limits.most});
      });
  return method;
}

// A query has its own form (runner/wire/query_json.cpp).
template <>
MethodRule rule<rpc::Query>() {
  MethodRule method{"query", {}};
  for (const char* name : {"workload", "sweep", "title", "cell", "metric", "unit", "bold"}) {
    method.members.push_back({name, MemberKind::kText});
  }
  for (const char* name : {"rows", "columns", "pool", "sort", "with"}) {
    method.members.push_back({name, MemberKind::kTexts});
  }
  for (const char* name : {"where", "headings", "baseline", "values"}) {
    method.members.push_back({name, MemberKind::kAny});
  }
  for (const char* name : {"warmup", "only_varying"})
    method.members.push_back({name, MemberKind::kTruth});
  method.members.push_back({"limit", MemberKind::kInteger, false, 0, Limits{}.most});
  return method;
}

const std::vector<json> kTexts{
    RequestMaker::kSweep,
    "sweep: other\nworkload: fault\nmatrix: {kind: [done, exit]}\n",
    "sweep: other\nworkload: noop\npasses: [timing, memory]\nparams: {steps: 1, warmup: 0}\n",
    "study: s\ntitle: T\ndescription: D\nscales: {small: {}}\nchapters:\n  - title: A\n    parts: "
    "[{text: B}, {file: a.yaml}]\n",
    "sweep: rnd\nworkload: none\n",
    "[",
    ""};

// The possible values of a member. Any other text is a sweep, an attempt or a column.
const std::map<std::string, std::vector<json>>& values() {
  static const std::map<std::string, std::vector<json>> all{
      {"text", kTexts},
      {"texts", {json::array({kTexts[0]}), json::array({kTexts[0], kTexts[2]}), json::array()}},
      {"names", {json::array({"a.yaml"}), json::array({"a.yaml", "b.yaml"})}},
      {"folders", {json::array({"/tmp"}), json::array({"/tmp", "nowhere"})}},
      {"set",
       {json::array({"steps=2"}), json::array({"seed=1,2"}), json::array({"none=1"}),
        json::array({"="})}},
      {"reuse", {"same", "any", "none"}},
      {"notify", {"true", "", "exit 3"}},
      {"environment",
       {json::array({"A=b"}), json::array({"A"}), json::array({"=b", "A=b", "A=c"})}},
      {"which", {json::array({"failed"}), json::array({"done", "suspect"}), json::array({"none"})}},
      {"sweeps", {json::array({"rnd"}), json::array({"rnd", "rnd"}), json::array({"none"})}},
      {"devices",
       {json::array({"cpu"}), json::array({"cuda:0"}), json::array({"cuda"}),
        json::array({"cpu:7"})}},
      {"by", {"name", "seed=1,2", "launch", "class"}},
      {"layout", {"nsys", "pytorch"}},
      {"phase", {"step", "forward"}},
      {"metric", {"time", "memory", "allocated", "nothing"}},
      {"unit", {"ms", "MiB", "furlong"}},
      {"cell", {"{median:.1f}", "{mean:.0f} {n}", "{none}", "{", "count"}},
      {"bold", {"best_in_row", "none", "slower"}},
      {"rows",
       {"source,workload,metric,value,unit,steps\nbook,noop,time,1,ms,2\n", "a,b\n1,2\n",
        json::array({"seed"}), json::array({"trial", "phase"})}},
      {"mapping", {"reference: r\ndescription: d\nrules: []\n", "[", ""}},
      {"columns", {json::array({"phase"}), json::array({"sweep", "metric"})}},
      {"sort", {json::array({"seed"}), json::array({"-median"})}},
      {"with",
       {json::array({"n"}), json::array({"mean", "verdict"}), json::array({"std", "none"})}},
      {"pool", {json::array({"repeat"}), json::array({"seed"}), json::array({"none"})}},
      {"where",
       {json::array({"seed=1"}), json::array({"=", "phase=step"}), {{"seed", json::array({"1"})}}}},
      {"baseline", {json::array({"seed=1"}), {{"seed", "1"}}}},
      {"headings", {{{"seed", "Seed"}}}},
      {"values",
       {json::array({{{"name", "a"}, {"metric", "time"}}}), json::array({json::object()})}},
      {"mark", {"line", "bar", "heatmap", "area", "point"}},
      {"scale", {"log", "small", "x=log", "y=log"}},
      {"error", {"std", "ci95=band", "min-max"}},
      {"beside", {json::array({"name=Floor,y=floor"}), json::array({"y=1"})}},
      {"x", {"seed", "seed=Seed"}},
      {"y", {"median", "seed"}},
      {"table", {"1", "T", "2"}},
      {"plot", {"1", "P", "0"}},
      {"color", {"phase", "metric"}},
      {"facet", {"steps", "metric"}},
      {"title", {"A title"}},
      {"tolerance", {"2%", "0.02", "200%", "x"}},
      {"slowdown", {"5%", "0", "-1%"}},
      {"confidence", {"99%", "100%", "0%"}},
      {"workload", {"noop", "fault", "none"}},
  };
  return all;
}

const std::set<std::string> kPaths{"file", "folder",     "attempt_folder", "database",
                                   "runs", "a_database", "b_database"};

json deep(int levels) {
  json value = 1;
  for (int i = 0; i < levels; ++i) value = i % 2 == 0 ? json::array({value}) : json{{"a", value}};
  return value;
}

}  // namespace

const std::vector<MethodRule>& method_rules() {
  using namespace rpc;
  static const std::vector<MethodRule> rules{rule<Submit>(),        rule<Try>(),
                                             rule<Plan>(),          rule<Watch>(),
                                             rule<Kernels>(),       rule<rpc::Explain>(),
                                             rule<ReadStudy>(),     rule<ReferenceAdd>(),
                                             rule<ReferenceList>(), rule<ReferenceRemove>(),
                                             rule<List>(),          rule<Show>(),
                                             rule<Report>(),        rule<rpc::Query>(),
                                             rule<rpc::Plot>(),     rule<rpc::Compare>(),
                                             rule<Memory>(),        rule<Log>(),
                                             rule<Cancel>(),        rule<Retry>(),
                                             rule<Workloads>(),     rule<rpc::Config>(),
                                             rule<Devices>(),       rule<rpc::Status>(),
                                             rule<Doctor>(),        rule<Merge>(),
                                             rule<rpc::Noise>(),    rule<Stop>(),
                                             rule<Delete>(),        rule<Usage>(),
                                             rule<Compact>(),       rule<rpc::Backup>(),
                                             rule<rpc::Pause>(),    rule<rpc::Resume>(),
                                             rule<Reread>()};
  return rules;
}

RequestMaker::RequestMaker(std::uint64_t seed, const std::filesystem::path& given)
    : random_(seed), given_(given) {}

json RequestMaker::plausible(const MemberRule& member) {
  if (member.kind == MemberKind::kTruth) return below(2) == 0;
  if (member.kind == MemberKind::kInteger)
    return std::max<std::int64_t>(member.least, static_cast<std::int64_t>(below(4)));
  if (kPaths.contains(member.name)) {
    if (member.name == "attempt_folder" && below(2) == 0) return (given_ / "folder").string();
    for (const char* name : {"fresh", "copy.db", "empty", "folder", "fifo", "none/none"}) {
      if (below(4) == 0) return (given_ / name).string();
    }
    return (given_ / "copy.db").string();
  }
  std::vector<json> fitting;
  const auto add = [&](const std::vector<json>& all) {
    for (const json& value : all) {
      const bool fits = member.kind == MemberKind::kText ? value.is_string()
                        : member.kind == MemberKind::kAny && member.name != "values"
                            ? value.is_object()
                            : value.is_array();
      if (fits) fitting.push_back(value);
    }
  };
  if (const auto known = known_.find(member.name); known != known_.end()) add(known->second);
  if (const auto own = values().find(member.name); own != values().end()) add(own->second);
  if (fitting.empty()) add(known_["what"]);
  if (fitting.empty())
    return member.kind == MemberKind::kText ? json("seed") : json::array({"seed"});
  return fitting[below(2) == 0 ? 0 : below(fitting.size())];
}

std::string RequestMaker::odd_text(const std::string& member) {
  if (member == "notify") return "exit 3";  // a command, which would run
  if (kPaths.contains(member)) {
    const std::vector<std::string> paths{kEscaped,
                                         std::string("../") + kEscaped,
                                         "",
                                         std::string(1, '\0'),
                                         (given_ / kCutOff).string() + std::string("\0x", 2),
                                         (given_ / std::string(5000, 'p')).string()};
    return paths[below(paths.size())];
  }
  const std::vector<std::string> texts{"",
                                       std::string(1, '\0'),
                                       std::string("rnd\0x", 5),
                                       "' or 1=1 --",
                                       "%",
                                       "%s%n{}{0}",
                                       std::string(100'000, 'x'),
                                       "\xF0\x9F\x8C\x80\xE2\x80\xAE",
                                       "*",
                                       "-1",
                                       "nan",
                                       "1e999",
                                       "\n\r\x1b[2J",
                                       "a=b=c,,=",
                                       std::string("../../") + kEscaped,
                                       "99999999999999999999"};
  return texts[below(texts.size())];
}

json RequestMaker::odd(const MemberRule& member) {
  if (member.kind == MemberKind::kTruth) return below(2) == 0;
  if (member.kind == MemberKind::kInteger) {
    const std::vector<std::int64_t> ends{member.least, member.most, 0, 1, 1'000'000'007};
    return std::clamp(ends[below(ends.size())], member.least, member.most);
  }
  if (member.kind == MemberKind::kText) return odd_text(member.name);
  if (below(20) == 0) return std::vector<std::string>(5000, "seed=1");
  json list = json::array();
  for (std::size_t n = below(4); n > 0; --n) list.push_back(odd_text(member.name));
  return list;
}

json RequestMaker::wrong(const MemberRule& member) {
  std::vector<json> all{deep(60), 0.5, 1e308, json{{"a", 1}}, json::array({1})};
  if (member.kind != MemberKind::kTruth) all.push_back(true);
  if (member.kind != MemberKind::kText) all.emplace_back("text");
  if (member.kind == MemberKind::kInteger) {
    all.emplace_back(18'446'744'073'709'551'615U);
    if (member.least > Limits{}.least) all.emplace_back(member.least - 1);
    if (member.most < Limits{}.most) all.emplace_back(member.most + 1);
  } else {
    all.emplace_back(-9'223'372'036'854'775'807 - 1);
  }
  return all[below(all.size())];
}

std::string RequestMaker::one(const MemberRule& member, Mood mood, RandomRequest& request) {
  const std::size_t roll = below(10);
  const bool absent = roll < (!member.required ? 5 : mood == Mood::kWrong ? 2 : 0);
  if (mood == Mood::kNotJson && roll > 6) {
    const std::vector<std::string> texts{"NaN",          "1e400",       "-Infinity",
                                         "\"\xFF\xFE\"", "\"\\ud800\"", "\"\1\""};
    request.is_json = false;
    return texts[below(texts.size())];
  }
  if (absent) {
    if (member.required) request.wrong.push_back(member.name);
    return member.required && below(2) == 0 ? "null" : "";
  }
  if (member.kind == MemberKind::kAny && mood != Mood::kWrong) {
    return (below(2) == 0 ? plausible(member) : wrong(member)).dump();
  }
  if (mood == Mood::kWrong && roll > 7 && member.kind != MemberKind::kAny) {
    request.wrong.push_back(member.name);
    return wrong(member).dump();
  }
  return (mood == Mood::kOdd && roll > 6 ? odd(member) : plausible(member)).dump();
}

RandomRequest RequestMaker::next(const MethodRule& method) {
  const std::vector<Mood> moods{Mood::kDeep,  Mood::kDeep,  Mood::kOdd,    Mood::kOdd,
                                Mood::kWrong, Mood::kWrong, Mood::kNotJson};
  const Mood mood = moods[below(moods.size())];
  RandomRequest request{method.name, "", {}, true};
  for (const MemberRule& member : method.members) {
    const std::string value = one(member, mood, request);
    if (!value.empty()) request.params += json(member.name).dump() + ":" + value + ",";
  }
  // A `stop` without a mistake would be carried out.
  if ((mood == Mood::kWrong && below(3) == 0) || (method.name == "stop" && request.wrong.empty())) {
    request.params += R"("unheard_of":{},)";
    request.wrong.emplace_back("unheard_of");
  }
  if (!request.params.empty()) request.params.pop_back();
  request.params = "{" + request.params + "}";
  return request;
}

}  // namespace sweepd::e2e
