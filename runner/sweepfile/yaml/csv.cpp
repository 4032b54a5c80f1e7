#include "runner/sweepfile/yaml/csv.h"

namespace sweepd::sweepfile {
namespace {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  CsvText read() {
    while (at_ < text_.size() && csv_.fault_line == 0) read_row();
    return std::move(csv_);
  }

 private:
  bool at_end_of_row() const {
    return at_ >= text_.size() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
  }

  void read_row() {
    CsvRow row{line_, {}};
    do {
      row.cells.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted() : plain());
    } while (take_comma() && csv_.fault_line == 0);
    if (csv_.fault_line == 0 && !at_end_of_row()) csv_.fault_line = line_;
    at_ += at_ < text_.size() && text_[at_] == '\r' ? 2 : 1;
    ++line_;
    const bool empty = row.cells.size() == 1 && row.cells.front().empty();
    if (!empty) csv_.rows.push_back(std::move(row));
  }

  bool take_comma() {
    if (at_ >= text_.size() || text_[at_] != ',') return false;
    ++at_;
    return true;
  }

  std::string plain() {
    const std::size_t begin = at_;
    while (!at_end_of_row() && text_[at_] != ',') ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Two quotes are one. A line end inside belongs to the value.
  std::string quoted() {
    const int begin = line_;
    std::string value;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && !text_.substr(at_ + 1).starts_with('"')) {
        ++at_;
        return value;
      }
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') ++line_;
      value += text_[at_];
    }
    csv_.fault_line = begin;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  CsvText csv_;
};

}  // namespace

CsvText parse_csv(std::string_view text) {
  return CsvReader(text).read();
}

}  // namespace sweepd::sweepfile
