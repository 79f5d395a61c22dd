# CLUSTERSIM_ONE_PIECE: link clustersim without shared libraries. To find and join them costs a short run a third of its
# time. Where an archive is missing, or a small program linked that way does not run, all stay shared: an exception must
# not meet two copies of the C++ library.
#
# Sets `program_options`, `iostreams`, `pugixml`, `protobuf_lite`, `sqlite3`: what to link with.
set(program_options Boost::program_options)
set(iostreams Boost::iostreams)
set(pugixml pugixml::pugixml)
set(protobuf_lite protobuf::libprotobuf-lite)
set(sqlite3 SQLite::SQLite3)

set(one_piece ON)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
if(CLUSTERSIM_COVERAGE OR build_type STREQUAL "DEBUG" OR "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" MATCHES "-fsanitize")
  set(one_piece OFF)
endif()
option(CLUSTERSIM_ONE_PIECE "Link clustersim without shared libraries, where it can be" ${one_piece})
if(NOT CLUSTERSIM_ONE_PIECE)
  return()
endif()

set(archives boost_program_options boost_iostreams z pugixml)
if(Protobuf_FOUND)
  list(APPEND archives protobuf-lite)
endif()
if(SQLite3_FOUND)
  list(APPEND archives sqlite3)
endif()
foreach(name ${archives})
  find_library(${name}_ARCHIVE lib${name}.a)
  mark_as_advanced(${name}_ARCHIVE)
  if(NOT ${name}_ARCHIVE)
    message(STATUS "lib${name}.a not found: clustersim is linked with shared libraries")
    return()
  endif()
endforeach()

# Threads, a file, an exception out of an archive.
include(CheckCXXSourceRuns)
include(CMakePushCheckState)
cmake_push_check_state()
set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
set(CMAKE_REQUIRED_LIBRARIES ${boost_program_options_ARCHIVE})
check_cxx_source_runs([[
#include <boost/program_options.hpp>
#include <fstream>
#include <thread>
int main() {
  int caught = 0;
  std::thread other([&] {
    const char* words[] = {"program", "--none"};
    try {
      boost::program_options::variables_map map;
      boost::program_options::options_description known;
      store(parse_command_line(2, words, known), map);
    } catch (const boost::program_options::unknown_option&) {
      ++caught;
    }
  });
  other.join();
  return caught == 1 && std::ifstream("/proc/self/exe") ? 0 : 1;
}
]] CLUSTERSIM_ONE_PIECE_RUNS)
cmake_pop_check_state()
if(NOT CLUSTERSIM_ONE_PIECE_RUNS)
  message(STATUS "no static C++ library that works: clustersim is linked with shared libraries")
  return()
endif()

# The archives, with the headers of the shared library.
function(use_archives name)
  add_library(${name}_archive INTERFACE)
  target_link_libraries(${name}_archive INTERFACE ${ARGN})
  target_include_directories(${name}_archive SYSTEM INTERFACE $<TARGET_PROPERTY:${${name}},INTERFACE_INCLUDE_DIRECTORIES>)
  set(${name} ${name}_archive PARENT_SCOPE)
endfunction()
use_archives(program_options ${boost_program_options_ARCHIVE})
use_archives(iostreams ${boost_iostreams_ARCHIVE} ${z_ARCHIVE})
use_archives(pugixml ${pugixml_ARCHIVE})
if(Protobuf_FOUND)
  use_archives(protobuf_lite ${protobuf-lite_ARCHIVE} Threads::Threads)
endif()
if(SQLite3_FOUND)
  use_archives(sqlite3 ${sqlite3_ARCHIVE} Threads::Threads ${CMAKE_DL_LIBS})
endif()
set(one_piece_options -static-pie)
