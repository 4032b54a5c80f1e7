# cmake -DOUTPUT=embedded_sql.cpp -DFOLDER=db -P embed_sql.cmake
# Migrations must be numbered 0001, 0002 ... without a gap: the number is PRAGMA user_version.
file(GLOB migrations ${FOLDER}/migrations/*.sql)
list(SORT migrations)
set(entries "")
set(expected 0)
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
file(READ ${FOLDER}/views.sql views)
file(WRITE ${OUTPUT} "// Made from db/migrations and db/views.sql by db/embed_sql.cmake.
#include \"db/base/embedded_sql.h\"

namespace sweepd {

const std::vector<Migration>& embedded_migrations() {  // NOLINT(readability-function-size): texts
  static const std::vector<Migration> all{
${entries}  };
  return all;
}

std::string_view embedded_views() {
  return R\"sql(${views})sql\";
}

}  // namespace sweepd
")
