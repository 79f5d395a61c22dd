# Input that no one should give: always 2, always told why, never a crash, a hang or half an answer.
include(${CMAKE_CURRENT_LIST_DIR}/program.cmake)

function(refuse_file text expected)
  file(WRITE ${WORK}/hostile.json "${text}")
  refuse(check hostile.json)
  contains("${ERR}" "${expected}")
  refuse(run hostile.json --format json)
  refuse(collective hostile.json)
endfunction()

# Files that are none, or no scenario.
refuse(run nowhere.json)
contains("${ERR}" "a file that exists")
refuse(run ${WORK})
contains("${ERR}" "a folder")
execute_process(COMMAND head -c 65536 ${PROGRAM} OUTPUT_FILE ${WORK}/binary.json)
refuse(check binary.json)
contains("${ERR}" "JSON text")
refuse_file("" "JSON text")
refuse_file("   \n" "JSON text")
refuse_file("null" "an object")
refuse_file("{\"clustersim\": 1} {}" "JSON text")
refuse_file("{\"clustersim\": 1, \"clustersim\": 1, \"cluster\": {}, \"job\": {}}" "each key once")
refuse_file("{\"clustersim\": NaN}" "JSON text")
refuse_file("{\"clustersim\": 2}" "/clustersim")
string(REPEAT "{\"a\":" 70 open)
string(REPEAT "}" 70 close)
refuse_file("${open}1${close}" "at most 64 levels")
string(REPEAT "{\"a\":" 100000 open)
refuse_file("${open}" "at most 64 levels")
string(REPEAT "x" 20000000 long)
refuse_file("{\"clustersim\": 1, \"name\": \"${long}\"}" "at most 16 MiB")

# Keys and values of other alphabets are shown as they were written.
refuse(check ${FOUR_NODES} --set "/cluster/nöde=3")
contains("${ERR}" "/cluster/nöde")
refuse(check ${FOUR_NODES} --set "/cluster/node/gpu=グラフィック")
contains("${ERR}" "グラフィック")
answer(run ${FOUR_NODES} --set "/name=四台" --format json)
contains("${OUT}" "\"scenario\": \"四台\"")
string(ASCII 255 254 no_utf8)
answer(run ${FOUR_NODES} --set "/name=${no_utf8}" --format json)  # shown with replacement characters
string(JSON name GET "${OUT}" scenario)

# Counts: not a number, no whole number, too large, too small, no number at all.
foreach(value NaN nan Infinity 1e308 -1e308 1e999 -1 0 1.5 true null "many" {} 99999999999999999999 1e9)
  refuse(run ${FOUR_NODES} --set "/cluster/nodes=${value}")
  contains("${ERR}" "/cluster/nodes")
  refuse(run ${FOUR_NODES} --set "/job/batch_per_gpu=${value}")
  contains("${ERR}" "/job/batch_per_gpu")
endforeach()

# Quantities: the same, and units that are missing, wrong or have two readings.
foreach(value NaN 100 1e308 -1 "100" "-5 Gbit/s" "0 Gbit/s" "nan Gbit/s" "inf Gbit/s" "1e308 Gbit/s" "1e-300 Gbit/s"
              "100 Gb/s" "100 W" "１００ Gbit/s" "Gbit/s" "100Gbit/s/s")
  refuse(run ${FOUR_NODES} --set "/cluster/fabric/link=${value}")
  contains("${ERR}" "/cluster/fabric/link")
endforeach()
foreach(change "/cluster/node/memory=1 B" "/cluster/node/memory=1e20 B" "/cluster/node/cooling={\"inlet\": \"-300 degC\"}"
               "/cluster/node/cooling={\"host_heat\": \"1e12 W\"}" "/cluster/node/gpu_power_limit=1 W"
               "/cluster/node/gpu_clock_limit=1 Hz" "/job/bucket=1e15 B" "/job/target={\"epochs\": 1e300}"
               "/job/target={\"steps\": 0}" "/cost/self_hosted={\"years\": 1e-300}" "/cost/currency=XXX"
               "/cost/self_hosted={\"server_price\": \"6..5 USD\"}" "/cost/exchange=3" "/cost/prices=no-such-list.json"
               "/cost/exchange={\"date\": \"2026\", \"GBP\": \"0 USD\"}" "/cost/cloud={\"egress\": {}}"
               "/cost/cloud={\"pricing\": \"spot\", \"spot\": {\"interruptions\": \"1e300 per h\"}}"
               "/cost/self_hosted={\"electricity\": \"-1 USD/kWh\"}" "/cluster/region=Atlantis" "/cluster/nodes/x=1" "/=1")
  refuse(run ${FOUR_NODES} --set "${change}")
endforeach()

# Parts of the catalog that are no part of that kind, times that no simulated clock holds, and heat that turns GPUs off.
foreach(change "/cluster/node/nic=rocev2-overheads"
               "/cluster/node={\"gpu\": \"a100-sxm4-40gb\", \"gpus\": 4, \"gpu_fabric\": {\"link\": \"nvswitch2\", \"shape\": \"switch\"}}"
               "/cluster/node={\"gpu\": \"a100-sxm4-40gb\", \"gpus\": 4, \"gpu_fabric\": {\"link\": \"pcie-switch\", \"shape\": \"switch\"}}"
               "/cluster/node/cpu={\"base\": \"epyc-7763\", \"launch_overhead\": \"1e9 s\"}"
               "/cluster/node/gpu={\"base\": \"a100-sxm4-40gb\", \"memory_bandwidth\": \"1 kB/s\"}"
               "/cluster/node/cooling={\"inlet\": \"80 degC\", \"airflow\": \"1 CFM\", \"arrangement\": \"series\"}"
               "/job={\"model\": {\"emulated_step\": \"1600 min\", \"batch\": 1, \"sample_bytes\": \"1 TB\"}, \"accumulation\": 100000}")
  refuse(run ${FOUR_NODES} --set "${change}")
endforeach()
refuse(run ${FOUR_NODES} --set /job/data/from=shared
       --set "/cluster/storage={\"tier\": \"ceph-nvme\", \"servers\": 2, \"nic\": \"rocev2-overheads\"}")
refuse(run ${FOUR_NODES} --set /cluster/fabric/transport=tcp
       --set "/cluster/node/nic={\"base\": \"eth-100g\", \"tcp_latency\": \"1e9 s\"}")

# The largest and smallest that are taken give a whole report.
foreach(change /cluster/nodes=1000000 "/cluster/fabric/link=0.008 Gbit/s" "/job/bucket=1 B" /job/accumulation=1000
               /job/batch_per_gpu=1 "/job/target={\"steps\": 1}" "/job/target={\"epochs\": 1000000}"
               /job/data/workers_per_gpu=0)
  answer(run ${FOUR_NODES} --set "${change}" --format json)
  json_number(step_time "${OUT}" metrics step_time value)
endforeach()

# Measurements: nothing, a folder, noise, a program, a pointer, a nested mountain; and a calibration file of that kind.
file(WRITE ${WORK}/empty.log "")
string(REPEAT "{\"a\":" 5000 mountain)
file(WRITE ${WORK}/mountain.json "{\"jobname\": 1, \"iops\": ${mountain}1")
file(WRITE ${WORK}/pointer.log "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
foreach(file empty.log ${WORK} ${PROGRAM} pointer.log mountain.json /dev/null no_such.log ${ROOT}/CMakeLists.txt)
  refuse(calibrate ${file})
endforeach()
foreach(name "" empty.log ${PROGRAM} mountain.json ${FOUR_NODES} /dev/null)
  refuse(check ${FOUR_NODES} --set "/cluster/calibration=${name}")
endforeach()

# A data folder that is none.
set(ENV{CLUSTERSIM_DATA} ${WORK}/nowhere)
refuse(run ${FOUR_NODES})
refuse(catalog)
refuse(validate)
unset(ENV{CLUSTERSIM_DATA})
