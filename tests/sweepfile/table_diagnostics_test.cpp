// Tests the exact message for each kind of mistake in `tables:`.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(TableDiagnostics, RowsColumnsCellsAndFilters) {
  EXPECT_EQ(errors(kHead + "tables:\n"
                           "  - title: Time\n"
                           "    rows: [modle, phase]\n"
                           "    columns: [phase]\n"
                           "    cell: \"{mean:.1f ± {std}\"\n"
                           "    where: {phase: fwd, contxt: 1, context: x, outcome: [done, oops]}\n"
                           "    colour: red\n"
                           "    warmup: yes\n"
                           "  - title: nothing to show\n"),
            R"(
f.yaml:5:12: error: rows: `modle` is neither a parameter of lm_step nor a column of results
  5 |     rows: [modle, phase]
    |            ^~~~~
    = help: did you mean `model`?

f.yaml:6:15: error: columns: `phase` is already a row or column of this table
  6 |     columns: [phase]
    |               ^~~~~

f.yaml:7:11: error: cell: `{` is not closed
  7 |     cell: "{mean:.1f ± {std}"
    |           ^~~~~~~~~~~~~~~~~~~
    = help: write a brace itself as `{{` or `}}`

f.yaml:8:20: error: where: phase: `fwd` is not one of setup, forward, backward, optimizer, step
  8 |     where: {phase: fwd, contxt: 1, context: x, outcome: [done, oops]}
    |                    ^~~

f.yaml:8:25: error: where: `contxt` is neither a parameter of lm_step nor a column of results
  8 |     where: {phase: fwd, contxt: 1, context: x, outcome: [done, oops]}
    |                         ^~~~~~
    = help: did you mean `context`?

f.yaml:8:45: error: context: `x` is not an integer; expected an integer such as 512, 10_000 or 64K
  8 |     where: {phase: fwd, contxt: 1, context: x, outcome: [done, oops]}
    |                                             ^

f.yaml:8:64: error: where: outcome: `oops` is not one of done, oom, timeout, crashed, failed, cancelled, skipped
  8 |     where: {phase: fwd, contxt: 1, context: x, outcome: [done, oops]}
    |                                                                ^~~~

f.yaml:9:5: error: `colour` is not a key of a table; expected one of title, from, rows, columns, cell, metric, unit, where, warmup, bold, values, baseline, pool, sort, limit, rest
  9 |     colour: red
    |     ^~~~~~

f.yaml:10:13: error: warmup: `yes` is not a boolean; expected true or false
  10 |     warmup: yes
     |             ^~~

f.yaml:11:5: error: a table needs `rows` or `columns`
  11 |   - title: nothing to show
     |     ^~~~~
)");
}

TEST(TableDiagnostics, Rest) {
  const auto with_rest = [](const std::string& rest) {
    return errors(kHead + "tables:\n  - rows: [model]\n    values: [{name: Share}]\n    rest: " +
                  rest + "\n");
  };
  EXPECT_EQ(with_rest("{Share: 0.001}"), "");
  EXPECT_THAT(with_rest("{Shar: 0.001}"), HasSubstr("rest: the table has no value `Shar`"));
  EXPECT_THAT(with_rest("{Share: few}"), HasSubstr("rest: `few` is not a number"));
  EXPECT_THAT(with_rest("{}"), HasSubstr("rest: "));
}

TEST(TableDiagnostics, SortAndLimit) {
  EXPECT_EQ(errors(kHead + "tables:\n"
                           "  - {rows: [model], sort: -mean, limit: -3}\n"
                           "  - {rows: [model], sort: [[mean]], limit: some}\n"),
            R"(
f.yaml:4:27: error: sort: expected a list of names, found a single value
  4 |   - {rows: [model], sort: -mean, limit: -3}
    |                           ^~~~~
    = help: write [-mean]

f.yaml:4:41: error: limit: `-3` is not a number of rows
  4 |   - {rows: [model], sort: -mean, limit: -3}
    |                                         ^~
    = help: 0 or no limit at all shows every row

f.yaml:5:28: error: sort: expected a text, found a list
  5 |   - {rows: [model], sort: [[mean]], limit: some}
    |                            ^~~~~~

f.yaml:5:44: error: limit: `some` is not a number of rows
  5 |   - {rows: [model], sort: [[mean]], limit: some}
    |                                            ^~~~
    = help: 0 or no limit at all shows every row
)");
}

TEST(TableDiagnostics, ValuesAndBaseline) {
  EXPECT_EQ(errors(kHead + "tables:\n"
                           "  - rows: [{model: Size, context: Ctx}, {contxt: C}, [phase]]\n"
                           "    values:\n"
                           "      - {nmae: Min, cell: '{min'}\n"
                           "      - {name: Max, bold: quicker, where: {phase: fwd}}\n"
                           "      - Max\n"
                           "    baseline: {precision: fp23, contxt: 1, model: [small]}\n"
                           "  - {rows: [model], bold: faster, values: {name: Min}}\n"
                           "  - {rows: [model], values: [], baseline: fp32}\n"),
            R"(
f.yaml:4:12: error: rows: expected a name, or one `name: heading`, found a map
  4 |   - rows: [{model: Size, context: Ctx}, {contxt: C}, [phase]]
    |            ^~~~~~~~~~~~~~~~~~~~~~~~~~~

f.yaml:4:42: error: rows: `contxt` is neither a parameter of lm_step nor a column of results
  4 |   - rows: [{model: Size, context: Ctx}, {contxt: C}, [phase]]
    |                                          ^~~~~~
    = help: did you mean `context`?

f.yaml:4:54: error: rows: expected a name, or one `name: heading`, found a list
  4 |   - rows: [{model: Size, context: Ctx}, {contxt: C}, [phase]]
    |                                                      ^~~~~~~

f.yaml:6:10: error: `nmae` is not a key of a value; expected one of name, cell, metric, unit, where, warmup, bold
  6 |       - {nmae: Min, cell: '{min'}
    |          ^~~~
    = help: did you mean `name`?

f.yaml:6:27: error: cell: `{` is not closed
  6 |       - {nmae: Min, cell: '{min'}
    |                           ^~~~~~
    = help: write a brace itself as `{{` or `}}`

f.yaml:7:27: error: bold: `quicker` is not one of none, faster, slower, changed, best_in_row, smallest_in_row, largest_in_row, best_in_column, smallest_in_column, largest_in_column
  7 |       - {name: Max, bold: quicker, where: {phase: fwd}}
    |                           ^~~~~~~

f.yaml:7:51: error: where: phase: `fwd` is not one of setup, forward, backward, optimizer, step
  7 |       - {name: Max, bold: quicker, where: {phase: fwd}}
    |                                                   ^~~

f.yaml:8:9: error: values: expected a map (`name: value`), found a single value
  8 |       - Max
    |         ^~~

f.yaml:9:27: error: precision: `fp23` is not one of fp32, tf32, bf16, bf16_pure, fp16
  9 |     baseline: {precision: fp23, contxt: 1, model: [small]}
    |                           ^~~~
    = help: did you mean `fp32`?

f.yaml:9:33: error: baseline: `contxt` is neither a parameter of lm_step nor a column of results
  9 |     baseline: {precision: fp23, contxt: 1, model: [small]}
    |                                 ^~~~~~
    = help: did you mean `context`?

f.yaml:9:51: error: baseline: model: expected one value, found a list
  9 |     baseline: {precision: fp23, contxt: 1, model: [small]}
    |                                                   ^~~~~~~

f.yaml:10:21: error: bold: the table has no `baseline` to compare with
  10 |   - {rows: [model], bold: faster, values: {name: Min}}
     |                     ^~~~
     = help: add for example `baseline: {precision: fp32}` to the table

f.yaml:10:43: error: values: expected a list of values, found a map
  10 |   - {rows: [model], bold: faster, values: {name: Min}}
     |                                           ^~~~~~~~~~~
     = help: begin each value with `- `

f.yaml:11:29: error: values: the list is empty
  11 |   - {rows: [model], values: [], baseline: fp32}
     |                             ^~

f.yaml:11:43: error: baseline: expected a map (`name: value`), found a single value
  11 |   - {rows: [model], values: [], baseline: fp32}
     |                                           ^~~~
     = help: write {precision: fp32}
)");
}

TEST(TableDiagnostics, CellBraces) {
  const auto cell = [](const std::string& text) {
    return messages(kHead + "tables: [{rows: [model], cell: '" + text + "'}]\n");
  };
  for (const std::string good : {"", "-", "{mean}", "{mean:.1f} ± {std:.1f}", "{{{n}}}", "{{}}"}) {
    EXPECT_THAT(cell(good), ElementsAre()) << good;
  }
  EXPECT_THAT(cell("mean}"), ElementsAre(HasSubstr("cell: `}` without a `{` before it")));
  EXPECT_THAT(cell("{mean"), ElementsAre(HasSubstr("cell: `{` is not closed")));
  EXPECT_THAT(cell("{a{b}}"), ElementsAre(HasSubstr("cell: `{` is not closed")));
  EXPECT_THAT(cell("{}"), ElementsAre(HasSubstr("cell: `{}` needs a name")));
  EXPECT_THAT(cell("{:.1f}"), ElementsAre(HasSubstr("cell: `{}` needs a name")));
}

}  // namespace
}  // namespace sweepd::test
