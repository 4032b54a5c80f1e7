// Well-formed requests of every method whose members are chosen at random: plausible ones, so that
// handlers get deep, odd ones of the right type, ones of a wrong type, and none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace sweepd::e2e {

enum class MemberKind { kText, kTexts, kInteger, kTruth, kAny };

struct MemberRule {
  std::string name;
  MemberKind kind;
  bool required = false;
  std::int64_t least = 0, most = 0;  // of an integer
};

struct MethodRule {
  std::string name;
  std::vector<MemberRule> members;
};

// In the order of docs/PROTOCOL.md.
const std::vector<MethodRule>& method_rules();

struct RandomRequest {
  std::string method;
  std::string params;  // as it is sent
  std::vector<std::string>
      wrong;  // members that are missing, unknown, of a wrong type or beyond their limits
  bool is_json = true;
};

class RequestMaker {
 public:
  // Paths lead into `given`, or are relative and named after `kEscaped`.
  RequestMaker(std::uint64_t seed, const std::filesystem::path& given);

  // The existing names and ids that requests may use.
  void know(const std::string& member, const nlohmann::json& value) {
    known_[member].push_back(value);
  }
  RandomRequest next(const MethodRule& method);

  static constexpr auto kEscaped = "escaped-from-the-state-folder";
  // A sweep that names of requests fit.
  static constexpr auto kSweep =
      "sweep: rnd\nworkload: noop\nparams: {steps: 2, warmup: 0}\nmatrix: {seed: [1, 2]}\n"
      "tables: [{title: T, rows: [seed], columns: [phase], unit: ms}]\n"
      "plots: [{title: P, x: seed, y: median}]\n";
  static constexpr auto kCutOff = "cut-off-at-a-nul";

 private:
  enum class Mood { kDeep, kOdd, kWrong, kNotJson };

  std::size_t below(std::size_t n) { return random_() % n; }
  nlohmann::json plausible(const MemberRule& member);
  nlohmann::json odd(const MemberRule& member);
  nlohmann::json wrong(const MemberRule& member);
  std::string odd_text(const std::string& member);
  std::string one(const MemberRule& member, Mood mood, RandomRequest& request);

  std::mt19937_64 random_;
  std::filesystem::path given_;
  std::map<std::string, std::vector<nlohmann::json>> known_;
};

}  // namespace sweepd::e2e
