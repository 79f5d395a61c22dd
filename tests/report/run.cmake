# Writes the pages with the program and opens them in a browser. Says "skipped: ..." where something optional is missing.
# cmake -DPROGRAM=... -DROOT=<source root> -DWORK=<folder> -DNODE=... -DNPM=... -DCHROMIUM=... -DTEMPLATE=<page.html> -P run.cmake
if(NOT EXISTS ${TEMPLATE})
  message("skipped: the build has no page of --report (npm ci needs the network once)")
  return()
endif()

set(here ${ROOT}/tests/report)
file(MAKE_DIRECTORY ${WORK}/pages)
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${here}/package-lock.json ${WORK}/installed-package-lock.json
                RESULT_VARIABLE other OUTPUT_QUIET ERROR_QUIET)
if(other)
  file(COPY ${here}/package.json ${here}/package-lock.json DESTINATION ${WORK})
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1
                          --fetch-timeout=60000
                  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed OUTPUT_VARIABLE out ERROR_VARIABLE out TIMEOUT 240)
  if(failed)
    message("skipped: npm ci failed\n${out}")
    return()
  endif()
  file(COPY_FILE ${WORK}/package-lock.json ${WORK}/installed-package-lock.json)
endif()

function(page name)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env CLUSTERSIM_PAGE=${TEMPLATE} ${PROGRAM} ${ARGN} --report ${WORK}/pages/${name}.html
                  OUTPUT_FILE ${WORK}/pages/${name}.txt RESULT_VARIABLE failed ERROR_VARIABLE error)
  if(failed)
    message(FATAL_ERROR "${ARGN}: ${error}")
  endif()
endfunction()

set(hostile "</script><script>hostile=1</script><img src=x onerror=hostile=1>{a|b}\"'&lt@DATA@")
set(scenarios ${ROOT}/scenarios)
page(desktop run ${scenarios}/desktop-2x3090.json)
page(four-nodes run ${scenarios}/4node-100g.json)
page(thousand run ${scenarios}/dgx-a100.json --set /cluster/nodes=128 --set "/name=1,024 GPUs")
page(hostile run ${scenarios}/8x4090-sata.json --set "/name=${hostile}")
page(comparison compare ${scenarios}/4node-100g.json ${scenarios}/4node-10g.json ${scenarios}/cloud-4x-p4d.json)
page(study sweep ${here}/study.json --db :memory:)
page(plan plan ${scenarios}/questions/resnet-50-in-12-hours.json)
page(plan-impossible plan ${here}/impossible.json)
page(validation validate)

execute_process(COMMAND ${CMAKE_COMMAND} -E env CHROMIUM=${CHROMIUM} PROGRAM=${PROGRAM} CLUSTERSIM_PAGE=${TEMPLATE}
                        SCENARIO=${scenarios}/4node-100g.json
                        ${NODE} --test --test-reporter=spec ${here}/pages.test.mjs ${here}/live.test.mjs
                WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed TIMEOUT 1200)
if(failed)
  message(FATAL_ERROR "the pages are not as they should be")
endif()
