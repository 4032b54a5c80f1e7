// RapidJSON reads the text and calls a handler for each token; the handler knows where in the
// document it is by its depth:
//   1  the trace            "traceEvents", "deviceProperties", "distributedInfo"
//   2  a list of events     or of devices; the members of distributedInfo
//   3  an event             or a device
//   4  its arguments
//   5  a grid, a block, the inputs of an operator
//   6  the dimensions of an input
// A trace may also be the list of events itself, which then is at depth 2.
#include <fmt/format.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <optional>
#include <string>
#include <utility>

#include "runner/base/nesting.h"
#include "runner/base/printable.h"
#include "runner/trace/chrome.h"
#include "runner/trace/chrome_builder.h"
#include "runner/trace/piece_stream.h"

namespace sweepd::trace {
namespace {

bool is_of_inputs(ChromeField field) {
  return field == ChromeField::kInputDims || field == ChromeField::kInputTypes ||
         field == ChromeField::kInputValues;
}

class TraceHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TraceHandler> {
 public:
  TraceHandler(PieceStream& stream, ChromeTrace& trace, ChromeBuilder& builder)
      : stream_(stream), trace_(trace), builder_(builder) {}

  const std::optional<Error>& error() const { return error_; }
  bool has_events() const { return has_events_; }

  bool Default() { return scalar(""); }  // null, true, false
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return scalar({text, size}); }
  bool String(const char* text, rapidjson::SizeType size, bool) { return scalar({text, size}); }
  bool Key(const char* text, rapidjson::SizeType size, bool);
  bool StartObject();
  bool EndObject(rapidjson::SizeType);
  bool StartArray();
  bool EndArray(rapidjson::SizeType);

 private:
  enum class Section : std::uint8_t { kOther, kEvents, kDevices, kDistributed };

  bool scalar(std::string_view text);
  bool fail(Error error) {
    error_ = std::move(error);
    return false;
  }
  bool expected_list(const char* what, const char* found) {
    return fail(
        {ErrorCode::kInvalidArgument, fmt::format("has {} as `{}`; expected a list", found, what)});
  }
  bool enter();
  bool end_event();
  bool leave_out(const std::string& why);

  static constexpr int kInputsDepth = 5;

  PieceStream& stream_;
  ChromeTrace& trace_;
  ChromeBuilder& builder_;
  std::optional<Error> error_;
  int depth_ = 0;
  Section section_ = Section::kOther;
  ChromeField field_ = ChromeField::kOther;  // of the last key
  ChromeField list_ = ChromeField::kOther;   // of inputs, whose elements are being read
  bool in_arguments_ = false, has_events_ = false;
  std::size_t component_ = 0;  // of a grid or block
  ChromeEvent event_;
  std::size_t event_begin_ = 0;
};

bool TraceHandler::enter() {
  stream_.begin_token();
  if (++depth_ <= kMaxNesting) return true;
  return fail({ErrorCode::kInvalidArgument, "is " + nested_too_deeply()});
}

bool TraceHandler::Key(const char* text, rapidjson::SizeType size, bool) {
  stream_.begin_token();
  const std::string_view key(text, size);
  field_ = ChromeField::kOther;
  if (depth_ == 1) {
    section_ = key == "traceEvents"        ? Section::kEvents
               : key == "deviceProperties" ? Section::kDevices
               : key == "distributedInfo"  ? Section::kDistributed
                                           : Section::kOther;
  } else if (section_ == Section::kEvents) {
    if (depth_ == 3) field_ = event_field(key);
    if (depth_ == 4 && in_arguments_) field_ = argument_field(key);
  } else if (section_ == Section::kDevices && depth_ == 3) {
    field_ = device_field(key);
  } else if (section_ == Section::kDistributed && depth_ == 2) {
    field_ = distributed_field(key);
  }
  return true;
}

bool TraceHandler::scalar(std::string_view text) {
  stream_.begin_token();
  if (section_ == Section::kOther) return true;
  if (section_ == Section::kDistributed) {
    if (depth_ == 2) builder_.set_distributed(field_, text);
  } else if (section_ == Section::kDevices) {
    if (depth_ == 3 && field_ != ChromeField::kOther) builder_.set_device(field_, text);
  } else if (depth_ == 1) {
    return expected_list("traceEvents", "a value");
  } else if (depth_ == 2) {
    ++trace_.events;
    event_begin_ = stream_.Tell() - text.size();
    return leave_out("is no object");
  } else if (depth_ <= 4) {
    event_.set(field_, text);
  } else if (list_ != ChromeField::kOther) {
    event_.inputs.add(list_, depth_ - kInputsDepth, text);
  } else if (depth_ == 5 && component_ < 3) {
    if (field_ == ChromeField::kGrid) event_.grid[component_++] = whole_number(text);
    if (field_ == ChromeField::kBlock) event_.block[component_++] = whole_number(text);
  }
  return true;
}

bool TraceHandler::StartObject() {
  if (!enter()) return false;
  if (section_ == Section::kEvents) {
    if (depth_ == 2) return expected_list("traceEvents", "an object");
    if (depth_ == 3) {
      event_.clear();
      event_begin_ = stream_.Tell() - 1;
    }
    if (depth_ == 4) in_arguments_ = field_ == ChromeField::kArguments;
    if (list_ != ChromeField::kOther) event_.inputs.lost = true;
  } else if (section_ == Section::kDevices) {
    if (depth_ == 2) return expected_list("deviceProperties", "an object");
    if (depth_ == 3) {
      if (auto added = builder_.add_device(); !added) return fail(added.error());
    }
  }
  field_ = ChromeField::kOther;
  return true;
}

bool TraceHandler::EndObject(rapidjson::SizeType) {
  stream_.begin_token();
  field_ = ChromeField::kOther;
  --depth_;
  if (depth_ == 3) in_arguments_ = false;
  return depth_ != 2 || section_ != Section::kEvents || end_event();
}

bool TraceHandler::StartArray() {
  if (depth_ == 0) {  // the trace is the list of its events
    depth_ = 1;
    section_ = Section::kEvents;
  }
  if (!enter()) return false;
  component_ = 0;
  if (section_ == Section::kEvents) {
    has_events_ = true;
    if (depth_ == 3) {
      ++trace_.events;
      event_begin_ = stream_.Tell() - 1;
      return leave_out("is no object");
    }
  }
  if (list_ != ChromeField::kOther) event_.inputs.begin_list(list_, depth_ - kInputsDepth - 1);
  if (depth_ == kInputsDepth && is_of_inputs(field_)) list_ = field_;
  // Of other lists only those of a grid and a block are read: no member of an event is in any.
  if (field_ != ChromeField::kGrid && field_ != ChromeField::kBlock) field_ = ChromeField::kOther;
  return true;
}

bool TraceHandler::EndArray(rapidjson::SizeType) {
  stream_.begin_token();
  field_ = ChromeField::kOther;
  if (--depth_ < kInputsDepth) list_ = ChromeField::kOther;
  return true;
}

bool TraceHandler::end_event() {
  ++trace_.events;
  const auto added = builder_.add(event_);
  if (added) return true;
  if (added.error().code != ErrorCode::kInvalidArgument) return fail(added.error());
  return leave_out(added.error().message);
}

bool TraceHandler::leave_out(const std::string& why) {
  if (trace_.unusable++ == 0) {
    trace_.first_unusable =
        fmt::format("event {} at byte {}: {}", trace_.events, event_begin_, why);
  }
  return true;
}

std::string events_text(std::int64_t events) {
  return fmt::format("{} {}", events, events == 1 ? "event" : "events");
}

// Why a document was not read to its end.
Error explain(const rapidjson::ParseResult& parsed, const PieceStream& stream,
              const TraceHandler& handler, std::int64_t events, std::string_view shown) {
  const std::size_t offset = parsed.IsError() ? parsed.Offset() : stream.Tell();
  const std::string where = fmt::format("byte {}, after {}", offset, events_text(events));
  if (stream.said_by_source()) return *stream.error();
  for (const std::optional<Error>& error : {stream.error(), handler.error()}) {
    if (error) return {error->code, fmt::format("`{}` {} ({})", shown, error->message, where)};
  }
  if (parsed.Code() == rapidjson::kParseErrorDocumentEmpty) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("`{}` is empty; expected a trace of torch.profiler (JSON)", shown)};
  }
  if (stream.ended()) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("`{}` is truncated: it ends at {}; expected the end of a JSON text", shown,
                        where)};
  }
  std::string words = rapidjson::GetParseError_En(parsed.Code());
  if (words.ends_with('.')) words.pop_back();
  if (parsed.Code() == rapidjson::kParseErrorStringEscapeInvalid) {
    words = "a text has a control character or an unknown escape";
  }
  return {ErrorCode::kInvalidArgument,
          fmt::format("`{}` is not JSON at {}: {}; expected a trace of torch.profiler", shown,
                      where, words)};
}

}  // namespace

Result<ChromeTrace> parse_chrome_trace(const NextPiece& next, std::string_view shown,
                                       const ChromeLimits& limits) {
  constexpr unsigned kFlags =
      rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseNanAndInfFlag;
  ChromeTrace trace;
  ChromeBuilder builder(limits);
  PieceStream stream(next, limits.file_bytes);
  TraceHandler handler(stream, trace, builder);
  rapidjson::Reader reader;
  const std::string name = printable(shown);
  const auto parsed = reader.Parse<kFlags>(stream, handler);
  if (parsed.IsError() || stream.error()) {
    return explain(parsed, stream, handler, trace.events, name);
  }
  if (!handler.has_events()) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("`{}` has no `traceEvents`; expected a trace of torch.profiler", name)};
  }
  if (builder.is_empty()) {
    std::string message = fmt::format(
        "`{}` has {} and none of a kernel, copy, call, operator or range; "
        "expected a trace of torch.profiler",
        name, events_text(trace.events));
    if (trace.unusable > 0) message += " (" + trace.first_unusable + ")";
    return Error{ErrorCode::kInvalidArgument, std::move(message)};
  }
  trace.bytes = static_cast<std::int64_t>(stream.Tell());
  trace.timeline = builder.finish();
  return trace;
}

}  // namespace sweepd::trace
