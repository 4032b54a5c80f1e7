// Tests that docs/PROTOCOL.md matches the description of every method and object.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "runner/base/text.h"
#include "runner/daemon/handlers/handlers.h"

namespace sweepd {
namespace {

constexpr const char* kPage = SWEEPD_SOURCE_FOLDER "/docs/PROTOCOL.md";

template <class T>
concept HasTitle = requires {
  T::kTitle;
};

template <class T>
struct ElementOf {
  using Type = T;
};
template <class T>
struct ElementOf<std::vector<T>> : ElementOf<T> {};
template <class T>
struct ElementOf<std::optional<T>> : ElementOf<T> {};

template <class T>
std::string members(bool request = false);

// A member's kind: "(a sweep; newest first)".
template <class T>
std::string nature(std::string_view meaning) {
  using Element = typename ElementOf<T>::Type;
  const bool list = ListTraits<ValueOf<T>>::value;
  std::string kind;
  if constexpr (HasTitle<Element>) {
    kind = fmt::format("{}*{}*", list ? "each " : "", Element::kTitle);
  } else if constexpr (IsMessage<Element> && !std::is_same_v<Element, MemoryPicture>) {
    kind = (list ? "each with " : "with ") + members<Element>();
  }
  if (kind.empty()) return meaning.empty() ? "" : fmt::format(" ({})", meaning);
  return meaning.empty() ? fmt::format(" ({})", kind) : fmt::format(" ({}; {})", kind, meaning);
}

// The default of a request's member: " = 50".
template <class M>
std::string default_of(const M& member) {
  if constexpr (std::is_same_v<M, std::string>) return member.empty() ? "" : " = `" + member + "`";
  if constexpr (std::is_same_v<M, bool>) return "";  // false
  if constexpr (std::is_integral_v<M>) return fmt::format(" = {}", member);
  return "";
}

template <class T>
std::string members(bool request) {
  std::vector<std::string> list;
  T value;
  T::visit(value, [&]<class M, class... Options>(std::string_view name, const M& member,
                                                 const char* meaning, const Options&...) {
    const bool may_lack = request ? !has_option<Required, Options...>
                                  : (is_optional<M> && !has_option<OrNull, Options...>) ||
                                        has_option<Sparse, Options...>;
    const std::string fallback = request ? default_of(member) : "";
    list.push_back(
        fmt::format("`{}`{}{}{}", name, may_lack ? "?" : "", fallback, nature<M>(meaning)));
  });
  return join(list, ", ");
}

struct Row {
  std::string name, text;
};

template <class M>
Row method() {
  std::string request = "a query, below", reply = "the catalog";
  if constexpr (IsMessage<typename M::Request>) request = members<typename M::Request>(true);
  if constexpr (IsMessage<typename M::Reply>) reply = members<typename M::Reply>();
  return {std::string(M::kName), fmt::format("| `{}` | {} | {} |", M::kName, request, reply)};
}

template <class T>
Row object() {
  return {std::string(T::kTitle), fmt::format("| {} | {} |", T::kTitle, members<T>())};
}

std::vector<Row> method_rows() {
  using namespace rpc;
  return {method<Submit>(),        method<Try>(),
          method<Plan>(),          method<Watch>(),
          method<Kernels>(),       method<Explain>(),
          method<ReadStudy>(),     method<ReferenceAdd>(),
          method<ReferenceList>(), method<ReferenceRemove>(),
          method<List>(),          method<Show>(),
          method<Report>(),        method<rpc::Query>(),
          method<rpc::Plot>(),     method<Compare>(),
          method<Memory>(),        method<Log>(),
          method<Cancel>(),        method<Retry>(),
          method<Workloads>(),     method<rpc::Config>(),
          method<Devices>(),       method<rpc::Status>(),
          method<Doctor>(),        method<Merge>(),
          method<rpc::Noise>(),    method<Stop>(),
          method<Delete>(),        method<Usage>(),
          method<Compact>(),       method<rpc::Backup>(),
          method<rpc::Pause>(),    method<rpc::Resume>(),
          method<Reread>()};
}

std::vector<Row> object_rows() {
  using namespace rpc;
  return {object<SweepRow>(),          object<AttemptCounts>(),   object<AttemptRow>(),
          object<sweepd::Plot>(),      object<RunningAttempt>(),  object<GivenAttempt>(),
          object<EndedAttempt>(),      object<SubmittedSweep>(),  object<PausedSweep>(),
          object<OutOfServiceEntry>(), object<ChangedDevice>(),   object<Notification>(),
          object<ReferenceSummary>(),  object<Study>(),           object<StudyPart>(),
          object<StudyClaim>(),        object<StudyFigure>(),     object<rpc::Progress>(),
          object<Stopping>(),          object<SweepPlan>(),       object<PlannedAxis>(),
          object<PlannedTime>(),       object<PlannedTimeouts>(), object<PlannedMemory>(),
          object<PlannedTrial>(),      object<PlannedAsk>(),      object<PlanRows>(),
          object<ConfigFile>(),        object<ConfigValue>(),     object<HostEntry>(),
          object<DeviceEntry>(),       object<PeakEntry>(),       object<PoolStatus>(),
          object<PoolNodes>(),         object<PoolAllocation>(),  object<Changes>(),
          object<MergeCount>()};
}

std::string page() {
  std::ifstream file(kPage);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The lines of the table under this head.
std::string table_under(const std::string& text, const std::string& head) {
  const std::size_t begin = text.find(head);
  if (begin == std::string::npos) return "";
  const std::size_t rows = begin + head.size();
  return text.substr(rows, text.find("\n\n", rows) + 1 - rows);
}

// SWEEPD_UPDATE_GOLDEN=1 rewrites the table.
void expect_table(const std::string& head, const std::vector<Row>& rows) {
  std::string expected;
  for (const Row& row : rows) expected += row.text + "\n";
  std::string text = page();
  const std::string found = table_under(text, head);
  ASSERT_FALSE(found.empty()) << "no table under " << head;
  if (std::getenv("SWEEPD_UPDATE_GOLDEN") != nullptr) {
    text.replace(text.find(head) + head.size(), found.size(), expected);
    std::ofstream(kPage) << text;
  }
  EXPECT_EQ(found, expected) << "SWEEPD_UPDATE_GOLDEN=1 writes it";
}

TEST(ProtocolPage, SaysOfMethodsWhatTheirDescriptionsSay) {
  expect_table("| method | parameters | result |\n|---|---|---|\n", method_rows());
}

TEST(ProtocolPage, SaysOfObjectsWhatTheirDescriptionsSay) {
  expect_table("| object | members |\n|---|---|\n", object_rows());
}

TEST(ProtocolPage, HasEveryMethodAndSaysWhichNeedNoDaemon) {
  std::vector<std::string> described, handled, reading;
  for (const Row& row : method_rows()) described.push_back(row.name);
  for (const Method& method : methods()) {
    handled.emplace_back(method.name);
    if (std::holds_alternative<ReadHandler>(method.handle)) {
      reading.push_back(fmt::format("`{}`", method.name));
    }
  }
  EXPECT_THAT(described, testing::UnorderedElementsAreArray(handled));
  const std::string last = reading.back();
  reading.pop_back();
  EXPECT_THAT(page(), testing::HasSubstr(join(reading, ", ") + " and " + last +
                                         " also work without a daemon"));
}

}  // namespace
}  // namespace sweepd
