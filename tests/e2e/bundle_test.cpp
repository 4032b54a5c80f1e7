// Tests that a bundle has all that is known of an attempt, and no secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

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
  EXPECT_THAT(in_bundle(box, "b.tar.gz", name + "/log.0.txt"),
              AllOf(HasSubstr("printed"), HasSubstr("env=(left out)"), Not(HasSubstr("hunter2"))));
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

// Of a worker that was killed before it could search them.
TEST(Bundle, HasNoFileOfAProgramThatMayHaveASecret) {
  const Sandbox box;
  box.ctl({"status"});
  const auto file = box.state() / "secrets";
  std::ofstream(file) << "HF_TOKEN=hf_0123456789\n";
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  const auto bundle_of = [&box](const std::string& name, const std::string& script) {
    box.ctl({"submit", "-", "--wait"}, "sweep: " + name +
                                           "\nworkload: command\nparams: {reports: nothing, steps: "
                                           "1, warmup: 0, secrets: HF_TOKEN, argv: 'sh -c \"" +
                                           script + "\"'}\n");
    const std::string uid = box.sql("select uid from attempt order by row desc limit 1");
    box.ctl({"bundle", uid, "-o", (box.folder() / name).string()});
    return "attempt-" + uid.substr(0, 8);
  };
  const std::string well = bundle_of("well", "echo $HF_TOKEN > out.txt");
  EXPECT_EQ(in_bundle(box, "well", well + "/out.txt"), "[HF_TOKEN]***\n");
  const std::string killed = bundle_of("killed", "echo $HF_TOKEN > out.txt; kill -9 $PPID");
  EXPECT_EQ(in_bundle(box, "killed", killed + "/out.txt"), "");
  EXPECT_THAT(in_bundle(box, "killed", killed + "/attempt.md"),
              HasSubstr("- `out.txt`: the program wrote it and may have put a secret into it"));
  EXPECT_THAT(in_bundle(box, "killed", killed + "/request.json"), HasSubstr("HF_TOKEN"));
}

}  // namespace
}  // namespace sweepd::e2e
