// Tests that paragraphs of a study's document are filled, and that no figure breaks a line.
#include <gtest/gtest.h>

#include "runner/client/study/prose.h"

namespace sweepd {
namespace {

TEST(StudyProse, FillsParagraphsAndKeepsNumbersWithTheirUnits) {
  EXPECT_EQ(fill_paragraphs("A step takes\n12.5\nms, or 20\n% of it.\n\nThe next\nparagraph.\n"),
            "A step takes 12.5\u00a0ms, or 20\u00a0% of it.\n\nThe next paragraph.\n");
  EXPECT_EQ(fill_paragraphs("It is 1.2 ± 0.1 ms‡ or 3‡ MiB.\n"),
            "It is 1.2\u00a0±\u00a00.1\u00a0ms‡ or 3‡\u00a0MiB.\n");
  const std::string words(95, 'x');
  EXPECT_EQ(fill_paragraphs(words + " 12.5 ms\n"), words + "\n12.5\u00a0ms\n");
  EXPECT_EQ(fill_paragraphs(words + " 12 words\n"), words + " 12\nwords\n");
}

TEST(StudyProse, KeepsWhatIsNoParagraph) {
  for (const std::string text :
       {"- a list\n- of two\n", "1. one\n2. two\n", "| a |\n| - |\n", "# Head\n", "> said\n",
        "    code\n    more\n", "hard  \nbreak\n", "hard\\\nbreak\n",
        "```\nsweepctl study  x\n\n12 ms\n```\n", "\n\n"}) {
    EXPECT_EQ(fill_paragraphs(text), text);
  }
  EXPECT_EQ(fill_paragraphs("In `4 B S d` bytes\n"), "In `4 B S d` bytes\n");
}

// Markdown would read a line that begins with `-` as a list.
TEST(StudyProse, NeverBeginsALineWithASignOfMarkdown) {
  const std::string words(98, 'x');
  EXPECT_EQ(fill_paragraphs(words + " - 1\n"), words + " -\n1\n");
  EXPECT_EQ(fill_paragraphs(words + " 12. So\n"), words + " 12.\nSo\n");
}

}  // namespace
}  // namespace sweepd
