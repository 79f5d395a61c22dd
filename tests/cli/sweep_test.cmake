# A study that is killed again and again ends with the rows of one that was left alone; so does one on MPI ranks.
include(${CMAKE_CURRENT_LIST_DIR}/program.cmake)

# 288 points, a third of them invalid.
file(WRITE ${WORK}/study.json [[
{"clustersim_study": 1, "base": "base.json",
 "axes": [{"pointer": "/cluster/nodes", "values": [1, 2, 3, 4]},
          {"pointer": "/cluster/node/gpus", "values": [2, 4, "four"]},
          {"pointer": "/job/batch_per_gpu", "range": {"from": 16, "to": 256, "factor": 2}},
          {"pointer": "/job/model", "values": ["resnet-50", "resnet-152"]},
          {"pointer": "/job/overlap", "values": [true, false]}],
 "filters": [{"product": ["/cluster/nodes", "/job/batch_per_gpu"], "at_most": 768}],
 "objective": {"minimize": "cost_cloud"}, "constraints": [{"metric": "time_to_train", "at_most": "24 h"}]}
]])
file(COPY_FILE ${FOUR_NODES} ${WORK}/base.json)
answer(sweep study.json --db :memory: --format csv)
set(expected "${OUT}")
string(REGEX MATCHALL "\n" lines "${OUT}")
list(LENGTH lines rows)

# Another number of threads; the other formats; every fault of the file.
answer(sweep study.json --db :memory: --format csv --jobs 1)
if(NOT OUT STREQUAL expected)
  message(SEND_ERROR "one thread gives other rows")
endif()
answer(sweep study.json --db all.sqlite)
contains("${OUT}" "Front of time and cost")
answer(sweep study.json --db all.sqlite --format json)
json_number(points "${OUT}" points)
math(EXPR points "${points} + 1")
if(NOT points EQUAL rows)
  message(SEND_ERROR "${rows} lines of ${points} points")
endif()
json_number(value "${OUT}" best 0 metrics cost_cloud)
file(WRITE ${WORK}/faulty.json [[{"clustersim_study": 1, "base": "base.json", "axes": [{"pointer": "x"}], "objectiv": 1}]])
refuse(sweep faulty.json)
contains("${ERR}" "faulty.json: 3 problems")
refuse(sweep study.json --jobs 0)
refuse(sweep study.json --db ${FOUR_NODES})
refuse(sweep base.json)

# SIGKILL at these moments, in seconds; then the rest. A study that was faster than its moment is begun anew.
set(killed 0)
foreach(moment 0.05 0.31 0.12 0.44 0.08 0.27 0.19 0.52 0.07 0.36 0.15 0.23 0.41 0.1 0.33 0.06 0.29 0.17 0.48 0.21)
  execute_process(COMMAND ${PROGRAM} sweep study.json --db killed.sqlite TIMEOUT ${moment} WORKING_DIRECTORY ${WORK}
                  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(code MATCHES "timeout")
    math(EXPR killed "${killed} + 1")
  elseif(code EQUAL 0)
    answer(sweep study.json --db killed.sqlite --format csv)
    if(NOT OUT STREQUAL expected)
      message(SEND_ERROR "killed ${killed} times, the study has other rows")
    endif()
    file(REMOVE ${WORK}/killed.sqlite)
  else()
    message(SEND_ERROR "between kills: ${code}, ${err}")
  endif()
endforeach()
if(killed LESS 3)
  message(SEND_ERROR "killed only ${killed} times")
endif()
answer(sweep study.json --db killed.sqlite)
answer(sweep study.json --db killed.sqlite)
contains("${OUT}" "resumed: ")
contains("${OUT}" " points were there")
answer(sweep study.json --db killed.sqlite --format csv)
if(NOT OUT STREQUAL expected)
  message(SEND_ERROR "killed ${killed} times, the study has other rows")
endif()

# On ranks, where this build has them.
if(NOT RANKS)
  return()
endif()
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{ASAN_OPTIONS} "$ENV{ASAN_OPTIONS}:detect_leaks=0")  # Open MPI keeps memory to the end
foreach(ranks 2 4)
  execute_process(COMMAND ${MPIRUN} --oversubscribe -n ${ranks} ${PROGRAM} sweep study.json --db ranks${ranks}.sqlite
                          --format csv
                  WORKING_DIRECTORY ${WORK} TIMEOUT 120 RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0 OR NOT out STREQUAL expected)
    message(SEND_ERROR "${ranks} ranks: ${code}, other rows or none; ${err}")
  endif()
endforeach()
execute_process(COMMAND ${MPIRUN} --oversubscribe -n 2 ${PROGRAM} sweep faulty.json WORKING_DIRECTORY ${WORK}
                TIMEOUT 60 RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
if(NOT code EQUAL 2 OR NOT err MATCHES "faulty.json: 3 problems")
  message(SEND_ERROR "a faulty study on ranks: ${code}, ${err}")
endif()

# One rank is killed in the middle; the next start, without a launcher, ends with the same rows.
file(WRITE ${WORK}/kill_one.sh [[
"$@" > /dev/null 2>&1 &
launcher=$!
sleep 1.2
kill -9 $(pgrep -P $launcher | tail -n 1) 2> /dev/null
wait $launcher
]])
execute_process(COMMAND bash kill_one.sh ${MPIRUN} --oversubscribe -n 3 ${PROGRAM} sweep study.json --db one.sqlite
                WORKING_DIRECTORY ${WORK} TIMEOUT 60)
answer(sweep study.json --db one.sqlite --format csv)
if(NOT OUT STREQUAL expected)
  message(SEND_ERROR "after the loss of a rank the study has other rows")
endif()
