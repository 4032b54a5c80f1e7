#include "runner/client/study/write_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/client/document/plots.h"
#include "runner/client/document/sweep_results.h"
#include "runner/client/study/figures.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

class DocumentWriter {
 public:
  DocumentWriter(Client& client, const StudySource& source, const std::vector<StudyJob>& jobs,
                 WhichResults which)
      : client_(client), source_(source), jobs_(jobs), which_(which) {}

  Result<StudyDocument> write() {
    const Study& study = source_.study;
    document_.title = study.title.empty() ? study.name : study.title;
    std::vector<std::string> about;
    for (const std::string* text : {&study.description, &study.scale_description}) {
      if (!text->empty()) about.push_back(std::string(trim(*text)));
    }
    document_.introduction = join(about, "\n\n");
    for (const StudyChapter& chapter : study.chapters) {
      std::vector<DocumentBlock> blocks;
      for (const StudyPart& part : chapter.parts) {
        if (auto added = add_part(part, blocks); !added) return added.error();
      }
      document_.chapters.push_back({chapter.title, std::move(blocks)});
    }
    document_.pictures = plots_.take();
    return StudyDocument{std::move(document_), std::move(missing_)};
  }

 private:
  // A hole is shown where it is, so that nobody reads over it.
  std::string miss(int line, int column, const std::string& what) {
    missing_.push_back(fmt::format("{}:{}:{}: {}", source_.file, line, column, what));
    return "**[" + what + "]**";
  }

  const StudyJob* job_of(const StudyPart& part) const {
    const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const StudyJob& each) { return each.is_of(part); });
    return job == jobs_.end() ? nullptr : &*job;
  }

  std::string id_of_sweep(const std::string& name) const {
    for (const StudyJob& job : jobs_) {
      for (const auto& [sweep, id] : job.sweeps) {
        if (sweep == name) return id;
      }
    }
    return "";
  }

  Result<std::string> figure(const StudyFigure& figure) {
    const std::string id = id_of_sweep(figure.sweep);
    Result<Table> table = Error{ErrorCode::kNotFound, "the sweep was not submitted yet"};
    if (!id.empty()) {
      auto query = query_of(figure, id);
      if (!query) return query.error();
      query->newest = which_ == WhichResults::kNewest;
      auto reply = client_.call<rpc::Query>(*query);
      if (!reply && reply.error().code == ErrorCode::kUnavailable) return reply.error();
      table = reply ? Result<Table>(std::move(reply->table)) : reply.error();
    }
    auto text = text_of_figure(figure, table);
    return text ? text : miss(figure.line, figure.column, text.error().message);
  }

  Result<void> add_part(const StudyPart& part, std::vector<DocumentBlock>& blocks) {
    std::string prose;
    for (const StudyPiece& piece : part.text) {
      prose += piece.markdown;
      if (!piece.figure) continue;
      auto text = figure(*piece.figure);
      if (!text) return text.error();
      prose += *text;
    }
    if (!trim(prose).empty()) blocks.push_back({std::string(trim(prose))});
    if (part.file.empty()) return {};
    const StudyJob* job = job_of(part);
    if (job == nullptr || job->sweeps.empty()) {
      blocks.push_back({miss(part.line, part.column,
                             fmt::format("the sweeps of {} were not submitted yet", part.file))});
      return {};
    }
    for (const auto& [name, id] : job->sweeps) {
      if (auto added = add_results(part, name, id, blocks); !added) return added;
    }
    return {};
  }

  Result<void> add_results(const StudyPart& part, const std::string& name, const std::string& id,
                           std::vector<DocumentBlock>& blocks) {
    auto found = tables_of_sweep(client_, id, which_);
    if (!found && found.error().code == ErrorCode::kUnavailable) return found.error();
    if (!found) {
      blocks.push_back(
          {miss(part.line, part.column,
                fmt::format("no tables of sweep `{}`: {}", name, found.error().message))});
      return {};
    }
    for (DocumentTable& each : found->tables) {
      if (part.all_tables || contains(part.tables, each.table.title)) {
        blocks.push_back({"", std::move(each)});
      }
    }
    if (!found->has_plots || (!part.all_plots && part.plots.empty())) return {};
    return add_plots(part, name, id, blocks);
  }

  Result<void> add_plots(const StudyPart& part, const std::string& name, const std::string& id,
                         std::vector<DocumentBlock>& blocks) {
    const auto plots = plots_of_sweep(client_, id, which_);
    if (!plots && plots.error().code == ErrorCode::kUnavailable) return plots.error();
    if (!plots) {
      blocks.push_back(
          {miss(part.line, part.column,
                fmt::format("no plots of sweep `{}`: {}", name, plots.error().message))});
      return {};
    }
    for (const Plot& plot : *plots) {
      if (!part.all_plots && !contains(part.plots, plot.title)) continue;
      blocks.push_back(plots_.add(name, plot));
    }
    return {};
  }

  Client& client_;
  const StudySource& source_;
  const std::vector<StudyJob>& jobs_;
  WhichResults which_;
  Document document_;
  std::vector<std::string> missing_;
  DocumentPlots plots_;
};

}  // namespace

Result<StudyDocument> write_document(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs, WhichResults which) {
  return DocumentWriter(client, source, jobs, which).write();
}

}  // namespace sweepd
