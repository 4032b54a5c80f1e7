# SQLiteCpp from the system. Ubuntu 22.04 has no package of it; there its source is fetched.
find_package(SQLiteCpp QUIET)
if(TARGET SQLiteCpp)
  return()
endif()
message(STATUS "SQLiteCpp: no package found; fetching its source")
include(FetchContent)
# Release 3.3.2. There is no such folder `none`, so CMake adds none of its targets: its own CMakeLists.txt
# would install them and compile a second SQLite.
FetchContent_Declare(SQLiteCpp GIT_REPOSITORY https://github.com/SRombauts/SQLiteCpp.git
                     GIT_TAG 08aa70a45ea52abcd8ee6b5d1ab1542140b3c7f5 SOURCE_SUBDIR none)
FetchContent_MakeAvailable(SQLiteCpp)
file(GLOB sqlitecpp_sources ${sqlitecpp_SOURCE_DIR}/src/*.cpp)
add_library(SQLiteCpp STATIC ${sqlitecpp_sources})
target_include_directories(SQLiteCpp SYSTEM PUBLIC ${sqlitecpp_SOURCE_DIR}/include)
target_link_libraries(SQLiteCpp PUBLIC SQLite::SQLite3)
