// What runs beside the traced program: a thread that writes every 100 ms, and the end of the file
// at exit().
#pragma once

namespace sweepd::inject {

// Once for each file.
void start_background();

// At exit() CUPTI's records are fetched and the file is ended. Handlers run in reverse order, so
// this must be called again after CUPTI has registered its own.
void end_at_exit();

}  // namespace sweepd::inject
