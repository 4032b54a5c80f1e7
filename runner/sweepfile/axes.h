// The sections that define a sweep's points: params, work, matrix, zip, exclude, include.
#pragma once

#include "runner/sweepfile/draft.h"
#include "runner/sweepfile/reporter.h"

namespace sweepd::sweepfile {

void read_params(Reporter& report, Draft& draft, const Node& section);
// `work: {tokens: "{batch} * {context}"}` sets `work_tokens`, and so on.
void read_work(Reporter& report, Draft& draft, const Node& section);
void read_matrix(Reporter& report, Draft& draft, const Node& section);
void read_zip(Reporter& report, Draft& draft, const Node& section);
void read_exclude(Reporter& report, Draft& draft, const Node& section);
void read_include(Reporter& report, Draft& draft, const Node& section);

// Call after all sections. An exclude value that no point of the product has is a typing error.
void check_exclude(Reporter& report, const Draft& draft);

}  // namespace sweepd::sweepfile
