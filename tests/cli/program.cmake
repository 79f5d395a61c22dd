# Runs the built program and looks at what it leaves: exit code, standard output, standard error.
# Given: PROGRAM, the program; ROOT, the repository; WORK, a folder of our own.

cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(FOUR_NODES ${ROOT}/scenarios/4node-100g.json)

# refuse(WORDS...) and answer(WORDS...): the program ends with 2 or 0; OUT and ERR are what it wrote.
function(run_program expected)
  execute_process(COMMAND ${PROGRAM} ${ARGN} WORKING_DIRECTORY ${WORK} TIMEOUT 120
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(SUBSTRING "${ARGN}" 0 200 words)
  if(NOT code STREQUAL expected)
    string(SUBSTRING "${err}" 0 1000 shown)
    message(SEND_ERROR "exit ${code}, expected ${expected}: ${words}\n${shown}")
  endif()
  set(OUT "${out}" PARENT_SCOPE)
  set(ERR "${err}" PARENT_SCOPE)
endfunction()

# An answer goes to standard output, and nothing to standard error where that is no terminal.
macro(answer)
  run_program(0 ${ARGN})
  if(OUT STREQUAL "" OR NOT ERR STREQUAL "")
    message(SEND_ERROR "an answer on standard output alone: ${ARGN}\n${ERR}")
  endif()
endmacro()

# A fault of the input leaves standard output empty and says on standard error what to mend.
macro(refuse)
  run_program(2 ${ARGN})
  if(NOT OUT STREQUAL "" OR ERR STREQUAL "")
    message(SEND_ERROR "a fault on standard error alone: ${ARGN}")
  endif()
endmacro()

function(contains text part)
  string(FIND "${text}" "${part}" at)
  if(at EQUAL -1)
    string(SUBSTRING "${text}" 0 1000 shown)
    message(SEND_ERROR "\"${part}\" is missing in:\n${shown}")
  endif()
endfunction()

# A number under the path of keys; an error where there is none.
function(json_number result text)
  string(JSON value ERROR_VARIABLE fault GET "${text}" ${ARGN})
  if(fault OR NOT value MATCHES "^-?[0-9.]+(e[-+]?[0-9]+)?$")
    message(SEND_ERROR "no number under ${ARGN}: ${fault} ${value}")
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()
