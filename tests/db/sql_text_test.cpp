#include <gtest/gtest.h>

#include "db/base/connection.h"
#include "db/base/param_columns.h"

namespace sweepd {
namespace {

// Names and values of users stand in statements.
TEST(SqlText, AQuoteDoesNotEndANameOrAValue) {
  EXPECT_EQ(sql_name("a\" FROM sweep; --"), "\"a\"\" FROM sweep; --\"");
  EXPECT_EQ(sql_literal(Value(std::string("it's '; --"))), "'it''s ''; --'");
}

}  // namespace
}  // namespace sweepd
