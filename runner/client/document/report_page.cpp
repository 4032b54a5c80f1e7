#include "runner/client/document/report_page.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/client/document/measured_on.h"
#include "runner/client/document/plots.h"
#include "runner/client/output.h"

namespace sweepd {

Result<Document> report_document(Client& client, const std::string& sweep, const std::string& table,
                                 WhichResults which) {
  auto found = tables_of_sweep(client, sweep, which, table);
  if (!found) return found.error();
  const SweepRow& about = found->sweep;
  Document document;
  document.title = about.name;
  document.introduction =
      fmt::format("{}{}{}: {}, submitted {}.", trim(about.description),
                  about.description.empty() ? "" : "\n\n", counted(about.trials, "trial"),
                  counts_in_words(about.counts), local_time(about.submitted.ns));
  for (std::size_t i = 0; i < found->tables.size(); ++i) {
    DocumentTable& each = found->tables[i];
    const std::string title =
        each.table.title.empty() ? fmt::format("Table {}", i + 1) : each.table.title;
    each.table.title.clear();  // the heading has it
    document.chapters.push_back({title, {{"", std::move(each)}}});
  }
  if (found->has_plots && table.empty()) {
    const auto plots = plots_of_sweep(client, about.id, which);
    if (!plots) return plots.error();
    DocumentPlots drawn;
    DocumentChapter others{"Plots", {}};
    for (const Plot& plot : *plots) {
      DocumentBlock block = drawn.add(about.name, plot);
      if (document.lead.empty()) {
        document.lead = block.picture;
      } else {
        others.blocks.push_back(std::move(block));
      }
    }
    if (!others.blocks.empty()) document.chapters.push_back(std::move(others));
    document.pictures = drawn.take();
  }
  auto where = measured_on(client, {about.id}, which);
  if (!where) return where.error();
  const auto shown = client.call<rpc::Show>({.what = about.id, .limit = 1});
  if (!shown) return shown.error();
  DocumentChapter last{"How this was measured", {}};
  last.blocks.push_back(std::move(*where));
  if (shown->source) {
    last.blocks.push_back({"`sweepctl run FILE` with this file measures it again:"});
    last.blocks.push_back({as_code(*shown->source)});
  }
  document.chapters.push_back(std::move(last));
  move_notes_to_end(document);
  return document;
}

}  // namespace sweepd
