# Installs the libraries of the lock file into FOLDER and bundles the page there; nothing is written beside the sources.
# A failure is told, not fatal: the program works without the page.

function(newer result file)  # whether a source is newer than `file`
  file(GLOB sources ${SOURCE}/src/* ${SOURCE}/page.html ${SOURCE}/build.mjs ${SOURCE}/package-lock.json)
  set(${result} FALSE PARENT_SCOPE)
  foreach(source ${sources})
    if(${source} IS_NEWER_THAN ${file})
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

function(step what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out
                  TIMEOUT 300)
  if(failed)
    message("--report will not work, ${what} failed:\n${out}")
  endif()
  set(failed "${failed}" PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${FOLDER})
newer(stale ${FOLDER}/page.html)
if(NOT stale)
  return()
endif()

set(installed ${FOLDER}/installed-package-lock.json)
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${FOLDER})
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${FOLDER}/package-lock.json ${installed} RESULT_VARIABLE other
                OUTPUT_QUIET ERROR_QUIET)
if(other)
  step("npm ci" ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
       --fetch-timeout=60000)
  if(failed)
    return()
  endif()
  file(COPY_FILE ${FOLDER}/package-lock.json ${installed})
endif()
step("bundling" ${NODE} ${SOURCE}/build.mjs ${FOLDER}/page.html)
