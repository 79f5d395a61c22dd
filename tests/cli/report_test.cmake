# --report: one whole file, or none and told why. With a template of our own; tests/report opens the built one.
include(${CMAKE_CURRENT_LIST_DIR}/program.cmake)

file(WRITE ${WORK}/template.html "<title>@TITLE@</title><pre>@TEXT@</pre><script>@DATA@</script>")
set(ENV{CLUSTERSIM_PAGE} ${WORK}/template.html)

function(page_holds name)
  file(READ ${WORK}/${name} page)
  foreach(text ${ARGN})
    contains("${page}" "${text}")
  endforeach()
  file(REMOVE ${WORK}/${name})
endfunction()

set(fast --set "/job/target={\"steps\": 10}")
answer(run ${FOUR_NODES} ${fast} --report page.html)
contains("${OUT}" "Where the step goes")  # the table goes to standard output as ever
page_holds(page.html "<title>4node-100g" "\"page\":\"run\"" "Where the step goes")
answer(run ${FOUR_NODES} ${fast} --report page.html --format json --no-what-if --seed 3)
string(JSON value GET "${OUT}" scenario)
page_holds(page.html "\"what_if\":[]")
answer(compare ${FOUR_NODES} ${ROOT}/scenarios/4node-10g.json ${fast} --report page.html)
page_holds(page.html "<title>4node-100g, 4node-10g" "\"page\":\"comparison\"")
answer(validate --suite convergence --report page.html)
page_holds(page.html "<title>Validation, convergence" "\"page\":\"validation\"")

# Nothing is left behind where the input is at fault, and no half page where it cannot be written.
refuse(run ${ROOT}/tests/bad/empty.json --report page.html)
refuse(run ${FOUR_NODES} ${fast} --report nowhere/page.html)
contains("${ERR}" "nowhere/page.html")
refuse(run ${FOUR_NODES} ${fast} --report a.html --report b.html)
set(ENV{CLUSTERSIM_PAGE} ${WORK}/none.html)
refuse(run ${FOUR_NODES} ${fast} --report page.html)
contains("${ERR}" "npm")
refuse(validate --report page.html)
file(GLOB left ${WORK}/*.html*)
if(NOT left STREQUAL "${WORK}/template.html")
  message(SEND_ERROR "left behind: ${left}")
endif()
