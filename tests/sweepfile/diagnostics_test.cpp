// Tests the exact message for each kind of mistake.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Diagnostics, UnknownKey) {
  EXPECT_EQ(errors(kHead + "matrx:\n  model: [small]\n"), R"(
f.yaml:3:1: error: `matrx` is not a key of a sweep; expected one of sweep, description, workload, program, parameters, metrics, phases, passes, params, work, matrix, zip, exclude, include, order, sentinel, frontier, tables, plots
  3 | matrx:
    | ^~~~~
    = help: did you mean `matrix`?
)");
}

TEST(Diagnostics, Sentinel) {
  EXPECT_EQ(errors(kHead + "sentinel: 5\n"), R"(
f.yaml:3:11: error: sentinel: `5` is not how often it runs; expected a duration from 1s to 24h, such as 5m
  3 | sentinel: 5
    |           ^
)");
  for (const char* wrong : {"often", "999ms", "25h", "-5m", "0"}) {
    EXPECT_THAT(errors(kHead + "sentinel: " + wrong + "\n"),
                StartsWith("\nf.yaml:3:11: error: sentinel: `"))
        << wrong;
  }
  EXPECT_THAT(errors(kHead + "sentinel: [5m]\n"),
              StartsWith("\nf.yaml:3:11: error: sentinel: expected a text, found a list\n"));
}

TEST(Diagnostics, ASentinelNeedsMatmulAndAMeasurement) {
  Catalog formulas = catalog();
  formulas.workloads.back().analytic = true;
  const std::string text = "sweep: a\nworkload: noop\nsentinel: 5m\n";
  const auto first = [&](const Catalog& known) {
    const Parsed parsed = parse_sweeps(text, "f.yaml", known, {});
    return parsed.errors.empty() ? std::string() : parsed.errors.front().message;
  };
  EXPECT_EQ(first(catalog()), "");
  EXPECT_EQ(first(formulas),
            "sentinel: noop consists of formulas, which do not depend on the machine");
  EXPECT_EQ(first({{catalog().workloads.back()}}),
            "sentinel: it measures `matmul`, which this worker lacks");
}

TEST(Diagnostics, ParameterOutsideItsSection) {
  EXPECT_THAT(errors(kHead + "context: 128\n"),
              HasSubstr("= help: `context` is a parameter of lm_step; put it under `params` or "
                        "`matrix`\n"));
}

TEST(Diagnostics, UnknownParameter) {
  EXPECT_EQ(errors(kHead + "params:\n  contxt: 128\n"), R"(
f.yaml:4:3: error: `contxt` is not a parameter of lm_step
  4 |   contxt: 128
    |   ^~~~~~
    = help: did you mean `context`?
)");
  EXPECT_EQ(errors(kHead + "include:\n  - {temperature: 1}\n"), R"(
f.yaml:4:6: error: `temperature` is not a parameter of lm_step
  4 |   - {temperature: 1}
    |      ^~~~~~~~~~~
    = help: `sweepctl workloads lm_step` lists them
)");
}

TEST(Diagnostics, UnknownWorkload) {
  EXPECT_EQ(errors("sweep: a\nworkload: \"lm-step\"  # typed from memory\nparams: {any: 1}\n"), R"(
f.yaml:2:11: error: workload: `lm-step` is not one of lm_step, matmul, memcpy, noop
  2 | workload: "lm-step"  # typed from memory
    |           ^~~~~~~~~
    = help: did you mean `lm_step`?
)");
}

TEST(Diagnostics, MissingKeys) {
  EXPECT_EQ(errors("description: nothing else\n"), R"(
f.yaml:1:1: error: `sweep` is missing
  1 | description: nothing else
    | ^~~~~~~~~~~
    = help: give it a name: `sweep: ...`

f.yaml:1:1: error: `workload` is missing
  1 | description: nothing else
    | ^~~~~~~~~~~
    = help: expected one of lm_step, matmul, memcpy, noop
)");
}

TEST(Diagnostics, DuplicateKey) {
  EXPECT_EQ(errors(kHead + "params:\n  batch: 4\n  context: 128\n  batch: 8\n"), R"(
f.yaml:6:3: error: `batch` is already given at line 4
  6 |   batch: 8
    |   ^~~~~
)");
}

TEST(Diagnostics, WrongTypes) {
  EXPECT_EQ(errors(kHead + "params:\n"
                           "  context: 12x\n"
                           "  timeout: 10\n"
                           "  memory_limit: 4 gigs\n"
                           "  relative_error: small\n"
                           "  warmup: -1\n"),
            R"(
f.yaml:4:12: error: context: `12x` is not an integer; expected an integer such as 512, 10_000 or 64K
  4 |   context: 12x
    |            ^~~

f.yaml:5:12: error: timeout: `10` is not a duration; expected a number with a unit: 250ms, 90s, 10m, 2h
  5 |   timeout: 10
    |            ^~

f.yaml:6:17: error: memory_limit: `4 gigs` is not a size in bytes; expected a size such as 1048576, 64MiB (1,024-based) or 1GB (1,000-based)
  6 |   memory_limit: 4 gigs
    |                 ^~~~~~

f.yaml:7:19: error: relative_error: `small` is not a number; expected a number such as 0.05, 1e-3 or 5%
  7 |   relative_error: small
    |                   ^~~~~

f.yaml:8:11: error: warmup: -1 is too small; expected at least 0
  8 |   warmup: -1
    |           ^~
)");
}

TEST(Diagnostics, WrongFlush) {
  EXPECT_EQ(errors(kHead + "params:\n  flush: L2\n"), R"(
f.yaml:4:3: error: `flush` is not a parameter of lm_step
  4 |   flush: L2
    |   ^~~~~
    = help: did you mean `flush_cache`?
)");
  EXPECT_EQ(errors(kHead + "params:\n  flush_cache: L3\n"), R"(
f.yaml:4:16: error: flush_cache: `L3` is not one of none, L2
  4 |   flush_cache: L3
    |                ^~
    = help: did you mean `L2`?
)");
}

TEST(Diagnostics, WrongChoice) {
  EXPECT_EQ(errors(kHead + "matrix:\n  precision: [fp32, bf61]\n"), R"(
f.yaml:4:21: error: precision: `bf61` is not one of fp32, tf32, bf16, bf16_pure, fp16
  4 |   precision: [fp32, bf61]
    |                     ^~~~
    = help: did you mean `bf16`?
)");
}

TEST(Diagnostics, WrongShape) {
  EXPECT_EQ(errors(kHead + "params:\n"
                           "  batch: [4, 8]\n"
                           "  warmup:\n"
                           "matrix:\n"
                           "  context: 128\n"
                           "zip: {model: [small]}\n"
                           "include:\n"
                           "  - {model: [tiny, xl]}\n"),
            R"(
f.yaml:4:10: error: batch: expected one value, found a list
  4 |   batch: [4, 8]
    |          ^~~~~~
    = help: several values of a parameter belong under `matrix`

f.yaml:5:3: error: warmup: expected one value, found nothing
  5 |   warmup:
    |   ^~~~~~

f.yaml:7:12: error: context: expected a list of values, found a single value
  7 |   context: 128
    |            ^~~
    = help: write [128] for one value, or put it under `params`

f.yaml:8:6: error: zip: expected a list of groups, found a map
  8 | zip: {model: [small]}
    |      ^~~~~~~~~~~~~~~~
    = help: begin each group with `- `

f.yaml:10:13: error: model: expected one value, found a list
  10 |   - {model: [tiny, xl]}
     |             ^~~~~~~~~~
     = help: write one point for each value
)");
}

TEST(Diagnostics, EmptySections) {
  EXPECT_THAT(messages(kHead + "exclude:\n  # - {model: xl}\norder: sequential\n"),
              ElementsAre("3:1 exclude: expected a list of rules, found nothing"));
  EXPECT_THAT(messages(kHead + "exclude: [{}]\ninclude: [{}]\nzip: [{}]\n"),
              ElementsAre("3:11 an exclude rule without keys would remove every point",
                          "4:11 an include point needs at least one parameter",
                          "5:7 a zip group needs at least one axis"));
}

TEST(Diagnostics, EmptyAndRepeatingAxes) {
  EXPECT_EQ(errors(kHead + "matrix:\n  context: []\n  batch: [1K, 2, 1000]\n"), R"(
f.yaml:4:12: error: axis `context` has no values; expected at least one
  4 |   context: []
    |            ^~

f.yaml:5:18: error: axis `batch` has the value 1000 twice
  5 |   batch: [1K, 2, 1000]
    |                  ^~~~
)");
}

TEST(Diagnostics, ZipListsOfUnequalLength) {
  EXPECT_EQ(errors(kHead + "zip:\n"
                           "  - warmup: [0, 1, 5]\n"
                           "    steps: [20, 10]\n"
                           "    seed: [1]\n"),
            R"(
f.yaml:5:12: error: `steps` has 2 values, `warmup` has 3; the lists of one zip group need the same number
  5 |     steps: [20, 10]
    |            ^~~~~~~~

f.yaml:6:11: error: `seed` has 1 value, `warmup` has 3; the lists of one zip group need the same number
  6 |     seed: [1]
    |           ^~~
)");
}

TEST(Diagnostics, OnePlaceForEachParameter) {
  EXPECT_EQ(errors(kHead + "params: {batch: 4}\n"
                           "matrix:\n"
                           "  batch: [4, 8]\n"
                           "  model: [tiny]\n"
                           "zip:\n"
                           "  - {model: [xl]}\n"),
            R"(
f.yaml:5:3: error: `batch` is given under params too, at line 3; a parameter may be set in only one place
  5 |   batch: [4, 8]
    |   ^~~~~

f.yaml:8:6: error: `model` is given under matrix too, at line 6; a parameter may be set in only one place
  8 |   - {model: [xl]}
    |      ^~~~~
)");
}

TEST(Diagnostics, ExcludeThatMatchesNothing) {
  EXPECT_EQ(errors(kHead + "matrix:\n"
                           "  model: [small, medium]\n"
                           "  context: [128, 256]\n"
                           "exclude:\n"
                           "  - {model: [smal, xl], context: 512}\n"
                           "  - {batch: 8}\n"),
            R"(
f.yaml:7:14: error: model: `smal` is not one of tiny, small, medium, large, xl, 2.7B, custom
  7 |   - {model: [smal, xl], context: 512}
    |              ^~~~
    = help: did you mean `small`?

f.yaml:7:20: error: exclude: no point has model = xl; its values are small, medium
  7 |   - {model: [smal, xl], context: 512}
    |                    ^~

f.yaml:7:34: error: exclude: no point has context = 512; its values are 128, 256
  7 |   - {model: [smal, xl], context: 512}
    |                                  ^~~

f.yaml:8:13: error: exclude: no point has batch = 8; every point has 4
  8 |   - {batch: 8}
    |             ^
)");
}

TEST(Diagnostics, ABrokenAxisDoesNotBreakItsExcludes) {
  EXPECT_THAT(messages(kHead + "matrix:\n  context: [128, 25x]\nexclude:\n  - {context: 256}\n"),
              ElementsAre(StartsWith("4:18 context: `25x`")));
}

TEST(Diagnostics, Passes) {
  EXPECT_EQ(errors("sweep: a\nworkload: matmul\npasses: [timing, profle, memory, timing]\n"), R"(
f.yaml:3:18: error: passes: `profle` is not one of timing, memory, profile
  3 | passes: [timing, profle, memory, timing]
    |                  ^~~~~~
    = help: did you mean `profile`?

f.yaml:3:26: error: passes: matmul has no memory pass; it has timing, profile
  3 | passes: [timing, profle, memory, timing]
    |                          ^~~~~~

f.yaml:3:34: error: passes: `timing` is listed twice
  3 | passes: [timing, profle, memory, timing]
    |                                  ^~~~~~
)");
  EXPECT_THAT(messages(kHead + "passes: memory\n"),
              ElementsAre("3:9 passes: expected a list of passes, found a single value"));
  EXPECT_THAT(messages(kHead + "passes: []\n"), ElementsAre("3:9 passes: the list is empty"));
}

TEST(Diagnostics, Order) {
  EXPECT_EQ(errors(kHead + "order: interleave\n"), R"(
f.yaml:3:8: error: order: `interleave` is not one of interleaved, sequential, shuffled
  3 | order: interleave
    |        ^~~~~~~~~~
    = help: did you mean `interleaved`?
)");
}

TEST(Diagnostics, NameOfTheSweep) {
  EXPECT_EQ(errors("sweep: my first sweep\nworkload: noop\n---\nsweep: b\nworkload: noop\n---\n"
                   "sweep: b\nworkload: noop\n"),
            R"(
f.yaml:1:8: error: sweep: `my first sweep` is not a name; expected 1 to 64 letters, digits, `.`, `_` or `-`
  1 | sweep: my first sweep
    |        ^~~~~~~~~~~~~~

f.yaml:7:8: error: a sweep `b` is already in this file, at line 4
  7 | sweep: b
    |        ^
)");
}

}  // namespace
}  // namespace sweepd::test
