// Tests that a bundle has all that is known of an attempt, and no secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string in_bundle(const Sandbox& box, const std::string& file, const std::string& member) {
  return box.run("/bin/tar", {"-xzOf", (box.folder() / file).string(), member}).out;
}

TEST(Bundle, HasTheAttemptsFilesAndNoSecretAndSaysWhatIsMissing) {
  const Sandbox box;
  const Ran submitted = box.ctl({"submit", "-", "--wait"},
                                "sweep: own\nworkload: command\nparams: {argv: 'sh -c \"echo "
                                "printed; exit 3\"', env: 'TOKEN=hunter2', steps: 1, warmup: 0}\n");
  EXPECT_EQ(submitted.exit_code, 4);
  const std::string uid = box.sql("select uid from attempt"), id = uid.substr(0, 8);
  const std::string file = (box.folder() / "b.tar.gz").string();
  const Ran made = box.ctl({"bundle", id, "-o", file});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(made.out, file + "\n");
  const std::string name = "attempt-" + id;
  EXPECT_THAT(in_bundle(box, "b.tar.gz", name + "/attempt.md"),
              AllOf(HasSubstr("| outcome  | failed "), HasSubstr("exit code 3: printed"),
                    HasSubstr("sweepd "), HasSubstr("(left out)"), Not(HasSubstr("hunter2"))));
  EXPECT_THAT(in_bundle(box, "b.tar.gz", name + "/log.0.txt"), HasSubstr("printed"));
  EXPECT_THAT(in_bundle(box, "b.tar.gz", name + "/events.0.ndjson"), HasSubstr("\"started\""));
  EXPECT_THAT(in_bundle(box, "b.tar.gz", name + "/request.json"),
              AllOf(HasSubstr("\"argv\""), HasSubstr("\"env\": \"(left out)\""),
                    Not(HasSubstr("hunter2"))));

  const std::string printed = (box.folder() / "printed").string();
  const Ran piped = box.run("/bin/sh", {"-c", SWEEPCTL " bundle " + id + " -o - > " + printed});
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_THAT(in_bundle(box, "printed", name + "/log.0.txt"), HasSubstr("printed"));
  // To tar this is a file of another machine.
  const Ran colon = box.run(
      "/bin/sh",
      {"-c", "cd " + box.folder().string() + " && exec " SWEEPCTL " bundle " + id + " -o a:b.tgz"});
  EXPECT_EQ(colon.exit_code, 0) << colon.err;
  EXPECT_THAT(in_bundle(box, "./a:b.tgz", name + "/log.0.txt"), HasSubstr("printed"));

  const Ran sweep = box.ctl({"bundle", "own"});
  EXPECT_EQ(sweep.exit_code, 2);
  EXPECT_THAT(sweep.err, HasSubstr("`own` is no attempt"));
  const Ran unwritable = box.ctl({"bundle", id, "-o", "/nowhere/b.tar.gz"});
  EXPECT_NE(unwritable.exit_code, 0);
  EXPECT_THAT(unwritable.err, HasSubstr("/nowhere/b.tar.gz"));
  std::filesystem::remove_all(box.state() / "runs" / uid);
  EXPECT_EQ(box.ctl({"bundle", id, "-o", file}).exit_code, 0);
  EXPECT_THAT(in_bundle(box, "b.tar.gz", name + "/attempt.md"), HasSubstr("Not in this bundle:"));
}

}  // namespace
}  // namespace sweepd::e2e
