# cmake -DOUTPUT=embedded_sql.cpp -DFOLDER=db -P embed_sql.cmake
# Migrations are numbered 0037, 0038 ... without a gap: the number is PRAGMA user_version.
file(GLOB migrations ${FOLDER}/migrations/[0-9]*.sql)
list(SORT migrations)
set(entries "")
set(expected 36)
foreach(file IN LISTS migrations)
  math(EXPR expected "${expected} + 1")
  get_filename_component(stem ${file} NAME_WE)
  if(NOT stem MATCHES "^([0-9][0-9][0-9][0-9])_([a-z0-9_]+)$")
    message(FATAL_ERROR "${file}: expected NNNN_name.sql with a lower-case name")
  endif()
  set(digits ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  string(REGEX REPLACE "^0+" "" number ${digits})
  if(NOT number EQUAL expected)
    message(FATAL_ERROR "${file}: expected number ${expected}; migrations have no gaps")
  endif()
  file(READ ${file} sql)
  string(APPEND entries "      {${number}, \"${name}\", R\"sql(${sql})sql\"},\n")
endforeach()
# Each line `-- Version N: name` of this file begins a migration. The text before the first is a comment.
file(READ ${FOLDER}/migrations/before_0_2.sql before)
string(REGEX REPLACE "-- Version ([0-9]+): ([a-z0-9_]+)\n" ")sql\"},\n      {\\1, \"\\2\", R\"sql(" before "${before}")
file(READ ${FOLDER}/views.sql views)
file(WRITE ${OUTPUT} "// Made from db/migrations and db/views.sql by db/embed_sql.cmake.
#include \"db/base/embedded_sql.h\"

namespace sweepd {

const std::vector<Migration>& embedded_migrations() {  // NOLINT(readability-function-size): texts
  static const std::vector<Migration> all{
${entries}  };
  return all;
}

const std::vector<Migration>& migrations_before_0_2() {  // NOLINT(readability-function-size): texts
  static const std::vector<Migration> all{
      {1, \"initial\", R\"sql(${before})sql\"},
  };
  return all;
}

std::string_view embedded_views() {
  return R\"sql(${views})sql\";
}

}  // namespace sweepd
")
