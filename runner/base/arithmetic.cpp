#include "runner/base/arithmetic.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>

namespace sweepd {
namespace {

class Formula {
 public:
  explicit Formula(std::string_view text) : text_(text) {}

  Result<double> value() {
    const double result = sum();
    skip_spaces();
    if (problem_.empty() && at_ < text_.size()) expected("an operator");
    if (problem_.empty()) return result;
    return Error{ErrorCode::kInvalidArgument, problem_};
  }

 private:
  static constexpr int kDeepest = 64;

  double sum() {
    double result = product();
    while (problem_.empty()) {
      if (take('+')) {
        result += product();
      } else if (take('-')) {
        result -= product();
      } else {
        break;
      }
    }
    return result;
  }

  double product() {
    double result = power();
    while (problem_.empty()) {
      if (take('*')) {
        result *= power();
      } else if (take('/')) {
        result /= power();
      } else {
        break;
      }
    }
    return result;
  }

  double power() {
    if (++depth_ > kDeepest)
      return expected("fewer signs, powers and parentheses within each other");
    const bool negative = take('-');
    double result = negative ? power() : operand();
    if (!negative && problem_.empty() && take('^')) result = std::pow(result, power());
    --depth_;
    return negative ? -result : result;
  }

  double operand() {
    if (take('(')) {
      const double result = sum();
      if (problem_.empty() && !take(')')) expected("`)`");
      return result;
    }
    skip_spaces();
    double result = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), result);
    if (error != std::errc() || !std::isfinite(result)) return expected("a number");
    at_ += static_cast<std::size_t>(end - begin);
    return result;
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  double expected(const char* what) {
    if (problem_.empty()) {
      problem_ = fmt::format(
          "`{}`: expected {} {}", text_, what,
          at_ < text_.size() ? fmt::format("before `{}`", text_.substr(at_)) : "at the end");
    }
    return 0;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string problem_;
};

}  // namespace

Result<double> evaluate(std::string_view formula) {
  return Formula(formula).value();
}

}  // namespace sweepd
