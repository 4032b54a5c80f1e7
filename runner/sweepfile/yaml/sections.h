// The sections of a sweep file's document.
#pragma once

#include "runner/sweepfile/yaml/checks.h"
#include "runner/sweepfile/yaml/draft.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// The sections that define a sweep's points: params, work, matrix, zip, exclude, include.
void read_params(Reporter& report, Draft& draft, const Node& section);
// `work: {tokens: "{batch} * {context}"}` sets `work_tokens`, and so on.
void read_work(Reporter& report, Draft& draft, const Node& section);
void read_matrix(Reporter& report, Draft& draft, const Node& section);
void read_zip(Reporter& report, Draft& draft, const Node& section);
void read_exclude(Reporter& report, Draft& draft, const Node& section);
void read_include(Reporter& report, Draft& draft, const Node& section);

// Call after all sections. An exclude value that no point of the product has is a typing error.
void check_exclude(Reporter& report, const Draft& draft);

// The `tables:` section. Cell templates are checked for their braces only. The report layer checks
// which names they contain, through check_tables.
void read_tables(Reporter& report, Draft& draft, const Node& section);

// Reports what `check` finds in tables that were read without a mistake, at the keys it names.
void check_tables(Reporter& report, const Draft& draft, const TableCheck& check);

// The `plots:` section. Which figures exist, and whether they can be drawn so, the report layer
// checks, through check_plots.
void read_plots(Reporter& report, Draft& draft, const Node& section);

// Reports what `check` finds in plots that were read without a mistake, at the keys it names.
void check_plots(Reporter& report, const Draft& draft, const PlotCheck& check);

}  // namespace sweepd::sweepfile
