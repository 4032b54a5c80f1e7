#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const CellName& known : cell_names()) names.emplace_back(known.name);
  return names;
}

class CellParser {
 public:
  explicit CellParser(std::string_view text) : text_(text) {}

  Result<CellTemplate> parse() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("{{") || text_.substr(at_).starts_with("}}")) {
        literal_ += text_[at_];
        at_ += 2;
      } else if (text_[at_] == '{') {
        if (auto parsed = placeholder(); !parsed) return parsed.error();
      } else if (text_[at_] == '}') {
        return error(at_, "`}` has no `{`; write `}}` for a brace");
      } else {
        literal_ += text_[at_++];
      }
    }
    flush();
    const auto named = [](const CellTemplate::Part& part) { return !part.name.empty(); };
    if (!text_.empty() && std::none_of(cell_.parts.begin(), cell_.parts.end(), named)) {
      return error(0, fmt::format("`{}` shows no figure; write for example `{{mean:.1f}}`", text_));
    }
    return std::move(cell_);
  }

 private:
  Error error(std::size_t at, const std::string& what) const {
    // Columns are counted as in an editor: ± is one.
    return {ErrorCode::kInvalidArgument,
            fmt::format("cell, column {}: {}", display_width(text_.substr(0, at)) + 1, what)};
  }

  void flush() {
    if (!literal_.empty()) cell_.parts.push_back({literal_, "", ""});
    literal_.clear();
  }

  Result<void> placeholder() {
    const std::size_t end = text_.find_first_of("{}", at_ + 1);
    if (end == std::string_view::npos || text_[end] == '{') {
      return error(at_, "`{` is not closed; write `{{` for a brace");
    }
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    const std::string_view name = inside.substr(0, colon);
    const std::string_view format = inside.substr(std::min(colon + 1, inside.size()));
    const CellName* known = find_cell_name(name);
    if (known == nullptr) {
      const auto names = known_names();
      return error(at_ + 1, fmt::format("`{}` is not a figure; expected one of {}{}", name,
                                        join(names, ", "), did_you_mean(name, names)));
    }
    if (auto fits = check_format(*known, format); !fits) {
      return error(at_ + 1 + colon, fmt::format("{}: {}", name, fits.error().message));
    }
    flush();
    cell_.parts.push_back({"", std::string(name), std::string(format)});
    at_ = end + 1;
    return {};
  }

  static Result<void> check_format(const CellName& name, std::string_view format) {
    if (name.kind == NameKind::kWord && !format.empty()) {
      return Error{ErrorCode::kInvalidArgument, "is a word and takes no format"};
    }
    const auto parsed = report::parse_number_format(format);
    if (!parsed) return parsed.error();
    if (parsed->type == 'd' && name.name != "n") {
      return Error{ErrorCode::kInvalidArgument, "`d` is for n; write `.0f`"};
    }
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string literal_;
  CellTemplate cell_;
};

bool samples_for(std::string_view name) {
  const CellName* known = find_cell_name(name);
  return known != nullptr && known->needs_samples();
}

}  // namespace

Result<CellTemplate> parse_cell(std::string_view text) {
  return CellParser(text).parse();
}

bool CellTemplate::needs_samples() const {
  return std::any_of(parts.begin(), parts.end(),
                     [](const Part& part) { return samples_for(part.name); });
}

bool needs_samples(const QuerySpec& query) {
  const auto cell = parse_cell(query.table.cell);
  if (cell && cell->needs_samples()) return true;
  return std::any_of(query.table.sort.begin(), query.table.sort.end(), [](std::string_view key) {
    const std::string_view name = key.starts_with('-') ? key.substr(1) : key;
    const CellName* known = find_cell_name(name);
    // The rate may be that of the median, which the rest of the table decides.
    return samples_for(name) || (known != nullptr && known->kind == NameKind::kDerived);
  });
}

}  // namespace sweepd
