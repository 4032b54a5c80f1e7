#include "runner/model/vocabulary/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace sweepd {
namespace {

constexpr int kDeepest = 50;  // brackets in brackets

FigureRange product_of(const FigureRange& a, const FigureRange& b) {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

FigureRange inverse(const FigureRange& a) {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  if (a.low <= 0 && a.high >= 0) return {-kAny, kAny};
  return {1 / a.high, 1 / a.low};
}

FigureRange size_of(const FigureRange& a) {
  if (a.low >= 0) return a;
  if (a.high <= 0) return {-a.high, -a.low};
  return {0, std::max(-a.low, a.high)};
}

FigureRange combine(char sign, const FigureRange& a, const FigureRange& b) {
  if (sign == '+') return {a.low + b.low, a.high + b.high};
  if (sign == '-') return {a.low - b.high, a.high - b.low};
  return product_of(a, sign == '*' ? b : inverse(b));
}

bool is_number(const FigureRange& a) {
  return !std::isnan(a.low) && !std::isnan(a.high);
}

Told judge_less(const FigureRange& a, const FigureRange& b, bool or_equal) {
  if (!is_number(a) || !is_number(b)) return Told::kUnclear;
  if (a.high < b.low || (or_equal && a.high == b.low)) return Told::kHolds;
  if (a.low > b.high || (!or_equal && a.low == b.high)) return Told::kFails;
  return Told::kUnclear;
}

}  // namespace

class ConditionParser {
 public:
  explicit ConditionParser(std::string_view text) : rest_(text), text_(text) {}

  Result<Condition> parse() {
    do comparison();
    while (!mistake_ && word("and"));
    if (!mistake_ && !at_end()) fail("expected `and` or the end");
    if (!mistake_ && out_.names_.empty()) fail("it names no figure, as in `{a} < {b}`");
    if (mistake_) return Error{ErrorCode::kInvalidArgument, *mistake_};
    return std::move(out_);
  }

  Result<double> value(const std::map<std::string, double>& figures) {
    const std::size_t whole = sum();
    if (!mistake_ && !at_end()) fail("expected an operator or the end");
    std::map<std::string, FigureRange> ranges;
    for (const std::string& name : out_.names_) {
      const auto figure = figures.find(name);
      if (figure == figures.end()) {
        fail(fmt::format("`{{{}}}` is no number here", name));
      } else {
        ranges[name] = {figure->second, figure->second};
      }
    }
    if (mistake_) return Error{ErrorCode::kInvalidArgument, *mistake_};
    return out_.range_of(whole, ranges).low;
  }

 private:
  void fail(const std::string& what) {
    if (mistake_) return;
    const std::string_view before = text_.substr(0, text_.size() - rest_.size());
    mistake_ = fmt::format("`{}`: {}{}", text_, what,
                           before.empty() ? "" : fmt::format(" after `{}`", before));
  }
  bool at_end() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0) {
      rest_.remove_prefix(1);
    }
    return rest_.empty();
  }
  bool word(std::string_view text) {
    if (at_end() || !rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  char one_of(std::string_view signs) {
    if (at_end() || signs.find(rest_.front()) == std::string_view::npos) return 0;
    const char sign = rest_.front();
    rest_.remove_prefix(1);
    return sign;
  }

  void comparison() {
    if (word_comparison()) return;
    Condition::Comparison each;
    each.left = sum();
    for (const char* sign : {"<=", ">=", "<", ">", "~"}) {
      if (!mistake_ && each.sign.empty() && word(sign)) each.sign = sign;
    }
    if (each.sign.empty()) return fail("expected one of <, <=, >, >=, ~");
    each.right = sum();
    if (each.sign == "~" && !mistake_) {
      if (!word("within")) return fail("expected `within 5 %`");
      const auto share = number();
      if (!share || !word("%")) return fail("expected a number and `%`");
      each.within = *share / 100;
    }
    if (!mistake_) out_.comparisons_.push_back(std::move(each));
  }

  // `{NAME} is WORD`; otherwise reads nothing.
  bool word_comparison() {
    at_end();
    const std::string_view begin = rest_;
    const std::size_t end = begin.find('}');
    if (begin.starts_with('{') && end != std::string_view::npos) {
      rest_.remove_prefix(end + 1);
      if (word("is ") && !at_end()) {
        Condition::Comparison each{"is", index_of(std::string(begin.substr(1, end - 1)))};
        each.word = rest_.substr(0, rest_.find_first_of(" \t\n"));
        rest_.remove_prefix(each.word.size());
        out_.comparisons_.push_back(std::move(each));
        return true;
      }
    }
    rest_ = begin;
    return false;
  }

  std::size_t index_of(const std::string& name) {
    const auto known = std::find(out_.names_.begin(), out_.names_.end(), name);
    const auto index = static_cast<std::size_t>(known - out_.names_.begin());
    if (known == out_.names_.end()) out_.names_.push_back(name);
    return index;
  }

  std::size_t add(Condition::Term term) {
    out_.terms_.push_back(term);
    return out_.terms_.size() - 1;
  }
  std::size_t sum() {
    return chain("+-", [this] { return chain("*/", [this] { return factor(); }); });
  }
  template <class Part>
  std::size_t chain(std::string_view signs, Part part) {
    std::size_t left = part();
    for (char sign = one_of(signs); sign != 0 && !mistake_; sign = one_of(signs)) {
      const std::size_t right = part();
      left = add({sign, 0, left, right});
    }
    return left;
  }

  std::size_t factor() {
    if (mistake_) return 0;
    if (word("(")) {
      if (++depth_ > kDeepest) fail("too many brackets");
      const std::size_t inner = sum();
      --depth_;
      if (!mistake_ && !word(")")) fail("expected `)`");
      return inner;
    }
    if (word("{")) return name();
    if (const auto read = number()) return add({'#', *read, 0, 0});
    fail("expected a number or a figure such as {a}");
    return 0;
  }

  std::size_t name() {
    const std::size_t end = rest_.find('}');
    const std::string name(rest_.substr(0, end));
    if (end == std::string_view::npos || name.empty()) {
      fail("`{` is not followed by a name and `}`");
      return 0;
    }
    rest_.remove_prefix(end + 1);
    out_.numbers_.push_back(name);
    return add({'$', 0, index_of(name), 0});
  }

  std::optional<double> number() {
    if (at_end()) return {};
    const std::string_view digits = rest_.substr(rest_.front() == '-' ? 1 : 0);
    if (digits.empty() || std::isdigit(static_cast<unsigned char>(digits.front())) == 0) return {};
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return {};
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string_view rest_, text_;
  std::optional<std::string> mistake_;
  int depth_ = 0;
  Condition out_;
};

Result<double> value_of_sum(std::string_view text, const std::map<std::string, double>& figures) {
  return ConditionParser(text).value(figures);
}

Result<Condition> Condition::parse(std::string_view text) {
  return ConditionParser(text).parse();
}

FigureRange Condition::range_of(std::size_t term,
                                const std::map<std::string, FigureRange>& figures) const {
  const Term& at = terms_[term];
  if (at.kind == '#') return {at.number, at.number};
  if (at.kind == '$') return figures.at(names_[at.left]);
  return combine(at.kind, range_of(at.left, figures), range_of(at.right, figures));
}

bool Condition::computes_with(const std::string& name) const {
  return std::find(numbers_.begin(), numbers_.end(), name) != numbers_.end();
}

Told Condition::judge(const Comparison& each,
                      const std::map<std::string, FigureRange>& figures) const {
  if (each.sign == "is") {
    return figures.at(names_[each.left]).text == each.word ? Told::kHolds : Told::kFails;
  }
  const FigureRange left = range_of(each.left, figures), right = range_of(each.right, figures);
  if (each.sign == "~") {
    const FigureRange share{each.within, each.within};
    return judge_less(size_of(combine('-', left, right)), product_of(share, size_of(right)), true);
  }
  const bool or_equal = each.sign.ends_with('=');
  return each.sign.front() == '<' ? judge_less(left, right, or_equal)
                                  : judge_less(right, left, or_equal);
}

Told Condition::judge(const std::map<std::string, FigureRange>& figures) const {
  Told all = Told::kHolds;
  for (const Comparison& each : comparisons_) {
    const Told told = judge(each, figures);
    if (told == Told::kFails) return told;
    if (told == Told::kUnclear) all = told;
  }
  return all;
}

}  // namespace sweepd
