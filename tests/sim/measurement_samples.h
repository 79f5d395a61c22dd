// A small output of every benchmark that is read: made by us in the shape of real ones, with round numbers.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace clustersim::samples {

inline const char* const perftest_bw =
    "---------------------------------------------------------------------------------------\n"
    "                    RDMA_Write BW Test\n"
    " Dual-port       : OFF\t\tDevice         : mlx5_0\n"
    " Number of qps   : 2\t\tTransport type : IB\n"
    " Mtu             : 4096[B]\n"
    "---------------------------------------------------------------------------------------\n"
    " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n"
    " 65536      5000             0.00               20000.00           0.320000\n"
    " 8388608\t5000\t23500.10\t23000.00\t0.002875\n"
    "---------------------------------------------------------------------------------------\n"
    "---------------------------------------------------------------------------------------\n";

inline const char* const perftest_both =
    "                    RDMA_Write Bidirectional BW Test\n"
    " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
    " 1048576    1000             391.00             390.00             0.046492\n";

inline const char* const perftest_lat =
    "                    Send Latency Test\n"
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
    "99% percentile[usec]   99.9% percentile[usec]\n"
    " 2       1000          1.08           4.62         1.12     \t       1.13        \t0.05\t\t1.22\t\t4.62\n";

inline const char* const perftest_json =
    "some banner\n{\"test_info\": {\"test\": \"RDMA_Read BW Test\", \"Number_of_qps\": 4, \"unit\": \"Gb/sec\"},\n"
    "\"results\": {\"MsgSize\": 1048576, \"n_iterations\": 1000, \"BW_peak\": 97.0, \"BW_average\": 96.0, "
    "\"MsgRate\": 0.01}}\n";

inline const char* const iperf3_tcp =
    "{\n\t\"start\":\t{\"version\": \"iperf 3.16\", \"test_start\": {\"protocol\": \"TCP\", \"num_streams\": 8, "
    "\"duration\": 10}},\n\"intervals\": [],\n"
    "\"end\": {\"sum_sent\": {\"bits_per_second\": 94.1e9}, \"sum_received\": {\"bits_per_second\": 93.6e9},\n"
    "\"cpu_utilization_percent\": {\"host_total\": 40.1, \"remote_total\": 95.0}}}\n";

// Two runs in a server's log: UDP with loss, whose jitter is no number, and one that failed.
inline const char* const iperf3_log =
    "-----------------------------\nServer listening on 5201\n"
    "{\"start\": {\"version\": \"iperf 3.7\", \"test_start\": {\"protocol\": \"UDP\", \"num_streams\": 1, "
    "\"duration\": 10}},"
    "\"end\": {\"sum\": {\"bits_per_second\": 8e9, \"jitter_ms\": -nan, \"lost_percent\": 25}}}\n"
    "{\"start\": {\"connected\": []}, \"intervals\": [], \"end\": {}, \"error\": \"unable to connect to server\"}\n";

inline const char* const iperf3_bidir =
    "{\"start\": {\"test_start\": {\"protocol\": \"TCP\", \"num_streams\": 1, \"duration\": 10}}, \"end\": {"
    "\"sum_received\": {\"bits_per_second\": 1e9}, \"sum_received\": {\"bits_per_second\": 20e9}, "
    "\"sum_received_bidir_reverse\": {\"bits_per_second\": 18e9}}}";

inline const char* const iperf3_stream =
    "{\"event\":\"start\",\"data\":{\"version\":\"iperf 3.19\",\"test_start\":{\"protocol\":\"TCP\",\"num_streams\":4,"
    "\"duration\":10}}}\n{\"event\":\"interval\",\"data\":{\"sum\":{\"bits_per_second\":1e9}}}\n"
    "{\"event\":\"end\",\"data\":{\"sum_received\":{\"bits_per_second\":80e9},\"cpu_utilization_percent\":{}}}\n";

inline const char* const fio3 =
    "fio: this platform does not support process shared mutexes\n"
    "{\"fio version\": \"fio-3.16\", \"timestamp\": 1, \"global options\": {\"direct\": \"1\", \"bs\": \"4k\", "
    "\"iodepth\": \"64\", \"numjobs\": \"4\", \"group_reporting\": \"\", \"rw\": \"randrw\"},\n"
    "\"jobs\": [{\"jobname\": \"mixed\", \"groupid\": 0, \"error\": 0, \"elapsed\": 60,\n"
    "\"read\": {\"io_bytes\": 1000, \"bw_bytes\": 348743777, \"bw\": 340570, \"iops\": 85139.6, "
    "\"lat_ns\": {\"mean\": 1500000.0, \"percentile\": {\"99.000000\": 4000000}}},\n"
    "\"write\": {\"io_bytes\": 1000, \"bw_bytes\": 348500000, \"bw\": 340332, \"iops\": 85066.0}}],\n"
    "\"disk_util\": [{\"name\": \"nvme0n1\"}]}\n";

inline const char* const fio2 =
    "{\"fio version\": \"fio-2.21\", \"jobs\": ["
    "{\"jobname\": \"seq\", \"groupid\": 0, \"error\": 0, \"job options\": {\"rw\": \"read\", \"bs\": \"1M\", "
    "\"direct\": "
    "\"1\"}, \"read\": {\"io_bytes\": 5, \"bw\": 1000000, \"iops\": 976.6, \"clat\": {\"mean\": 1020.0}}},"
    "{\"jobname\": \"seq\", \"groupid\": 0, \"error\": 0, \"job options\": {\"rw\": \"read\", \"bs\": \"1M\", "
    "\"direct\": "
    "\"1\"}, \"read\": {\"io_bytes\": 5, \"bw\": 500000, \"iops\": 488.3, \"clat\": {\"mean\": 1020.0}}},"
    "{\"jobname\": \"broken\", \"groupid\": 1, \"error\": 5, \"read\": {\"bw\": 77, \"iops\": 1}},"
    "{\"jobname\": \"one\", \"groupid\": 2, \"error\": 0, \"job options\": {\"rw\": \"randread\", \"bs\": \"4k\", "
    "\"iodepth\": \"1\", \"direct\": \"1\"}, \"read\": {\"io_bytes\": 5, \"bw\": 40000, \"iops\": 10000, \"clat\": "
    "{\"mean\": 95.0}}}]}";

inline const char* const fio_clients =
    "hostname=secret, be=0\n{\"fio version\": \"fio-3.33\", \"global options\": {\"direct\": \"1\"}, \"client_stats\": "
    "["
    "{\"jobname\": \"w\", \"hostname\": \"secret1\", \"error\": 0, \"job options\": {\"rw\": \"write\", \"bs\": "
    "\"1m\"}, "
    "\"write\": {\"bw_bytes\": 1000000000, \"iops\": 953}},"
    "{\"jobname\": \"w\", \"hostname\": \"secret2\", \"error\": 0, \"job options\": {\"rw\": \"write\", \"bs\": "
    "\"1m\"}, "
    "\"write\": {\"bw_bytes\": 2000000000, \"iops\": 1907}},"
    "{\"jobname\": \"All clients\", \"error\": 0, \"write\": {\"bw_bytes\": 3000000000, \"iops\": 2860}}]}";

inline const char* const dd_lines =
    "$ dd if=/dev/zero of=/data/x bs=1M count=1024 oflag=direct\n1024+0 records in\n1024+0 records out\n"
    "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 0.5 s, 2.1 GB/s\n"
    "$ dd if=/data/x of=/dev/null bs=1M\n1073741824 bytes (1.1 GB) copied, 0.25 seconds, 4.3 GB/s\n";

inline const char* const nvbandwidth_text =
    "nvbandwidth Version: v0.5\nBuilt from Git version:\n\nDevice 0: NVIDIA H100 80GB HBM3 (00000000:53:00)\n"
    "Device 1: NVIDIA H100 80GB HBM3 (00000000:64:00)\n\n"
    "Running host_to_device_memcpy_ce.\nmemcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n"
    "           0         1\n 0     55.00     55.40\n\nSUM host_to_device_memcpy_ce 110.40\n\n"
    "Running device_to_host_memcpy_ce.\nmemcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)\n"
    "           0         1\n 0     54.00     54.40\n\nSUM device_to_host_memcpy_ce 108.40\n\n"
    "Running host_to_device_bidirectional_memcpy_ce.\nmemcpy CE CPU(row) <-> GPU(column) bandwidth (GB/s)\n"
    "           0         1\n 0     18.50     18.51\n\nSUM host_to_device_bidirectional_memcpy_ce 37.01\n\n"
    "Running device_to_device_memcpy_write_ce.\nmemcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n"
    "           0         1\n 0      0.00    396.00\n 1    395.00       N/A\n\nSUM device_to_device_memcpy_write_ce "
    "791.00\n\n"
    "Waived: \nRunning device_to_device_latency_sm.\nDevice to Device Latency SM GPU(row) <- GPU(column) (ns)\n"
    "           0         1\n 0       N/A    772.58\n 1    770.10       N/A\n\n"
    "Running host_to_device_memcpy_sm.\nmemcpy SM CPU(row) -> GPU(column) bandwidth (GB/s)\n"
    "           0         1\n 0     15.00     15.40\n\nSUM host_to_device_memcpy_sm 30.40\n";

inline const char* const nvbandwidth_json =
    "{\"nvbandwidth\": {\"CUDA Runtime Version\": 12040, \"version\": \"v0.5\", \"testcases\": ["
    "{\"name\": \"host_to_device_memcpy_ce\", \"status\": \"Passed\", \"bandwidth_description\": "
    "\"memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\", \"bandwidth_matrix\": [[\"25.5\", \"26.5\", \"N/A\"]], "
    "\"sum\": 52},"
    "{\"name\": \"device_to_host_memcpy_ce\", \"status\": \"Waived\"},"
    "{\"name\": \"host_device_latency_sm\", \"status\": \"Passed\", \"bandwidth_description\": \"memory latency "
    "(ns)\", "
    "\"bandwidth_matrix\": [[800.0]]}]}}";

inline const char* const bandwidth_test =
    "[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: Tesla T4\n Shmoo Mode\n\n"
    " Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
    "   Transfer Size (Bytes)\tBandwidth(MB/s)\n   1024\t\t\t500.0\n   33554432\t\t\t12000.0\n\n"
    " Device to Host Bandwidth, 1 Device(s)\n PAGEABLE Memory Transfers\n"
    "   Transfer Size (Bytes)\tBandwidth(MB/s)\n   33554432\t\t\t6000.0\n\n"
    " Device to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
    "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   33554432\t\t\t240.0\n\nResult = PASS\n";

inline const char* const bandwidth_test_csv =
    "bandwidthTest-H2D-Pinned, Bandwidth = 12.4 GB/s, Time = 0.00000 s, Size = 33554432 bytes, NumDevsUsed = 1\n"
    "bandwidthTest-D2H-Paged, Bandwidth = 6200.5 MB/s, Time = 0.00258 s, Size = 16777216 bytes, NumDevsUsed = 1\n";

inline const char* const p2p =
    "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n"
    "Device: 0, NVIDIA GeForce RTX 4090, pciBusID: 1, pciDeviceID: 0, pciDomainID:0\n"
    "Device: 1, NVIDIA GeForce RTX 4090, pciBusID: 2, pciDeviceID: 0, pciDomainID:0\n"
    "Device=0 CANNOT Access Peer Device=1\n\nP2P Connectivity Matrix\n     D\\D     0     1     2\n"
    "     0\t     1     0     1\n     1\t     0     1     1\n     2\t     1     1     1\n"
    "Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1      2\n"
    "     0 916.00  20.00  20.00\n     1  20.00 917.00  20.00\n     2  20.00  20.00 917.00\n"
    "Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)\n   D\\D     0      1      2\n"
    "     0 915.00  21.00  26.00\n     1  21.00 915.00  26.00\n     2  26.00  26.00 915.00\n"
    "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n   D\\D     0      1      2\n"
    "     0 910.00  30.00  50.00\n     1  30.00 910.00  50.00\n     2  50.00  50.00 910.00\n"
    "P2P=Disabled Latency Matrix (us)\n   GPU     0      1      2\n     0   1.50  11.00  11.00\n"
    "     1  11.00   1.50  11.00\n     2  11.00  11.00   1.50\n\n   CPU     0      1      2\n     0   2.00   6.00   "
    "6.00\n"
    "P2P=Enabled Latency (P2P Writes) Matrix (us)\n   GPU     0      1      2\n     0   1.50  12.00   2.00\n"
    "     1  12.00   1.50   2.00\n     2   2.00   2.00   1.50\n\n   CPU     0      1      2\n     0   2.00   5.00   "
    "5.00\n";

inline const char* const own_records =
    "{\"clustersim_measurements\": 1, \"program\": \"clustersim-hostbench\", \"version\": \"0.1.0\", \"date\": "
    "\"2026-11-30\",\n"
    "\"quick\": false, \"machine\": {\"cpu\": \"Some CPU\", \"cores\": 4}, \"records\": [\n"
    "{\"benchmark\": \"jpeg_decode\", \"parameters\": {\"threads\": 1, \"width\": 500, \"height\": 375}, \"median\": "
    "0.004, "
    "\"unit\": \"s\", \"spread\": 0.01, \"samples\": 7, \"derived\": {\"images_per_s\": 250, \"images_per_core_s\": "
    "250}},\n"
    "{\"benchmark\": \"jpeg_decode\", \"parameters\": {\"threads\": 4}, \"median\": 0.005, \"unit\": \"s\", "
    "\"spread\": 0.01, "
    "\"derived\": {\"images_per_s\": 800, \"images_per_core_s\": 200}},\n"
    "{\"benchmark\": \"memory_triad\", \"parameters\": {\"node\": 0, \"threads\": 4, \"bytes\": 1000000000}, "
    "\"median\": 0.05, "
    "\"unit\": \"s\", \"spread\": 0.02, \"derived\": {\"bytes_per_s\": 20000000000}},\n"
    "{\"benchmark\": \"read_random\", \"parameters\": {\"access\": \"direct\", \"threads\": 1, \"block_bytes\": 4096}, "
    "\"median\": 0.0001, \"unit\": \"s\", \"spread\": 0.05, \"derived\": {\"reads_per_s\": 10000}},\n"
    "{\"benchmark\": \"read_sequential\", \"parameters\": {\"access\": \"direct\", \"threads\": 4, \"block_bytes\": "
    "1048576}, "
    "\"median\": 0.002, \"unit\": \"s\", \"spread\": 0.3, \"derived\": {\"bytes_per_s\": 2000000000}},\n"
    "{\"benchmark\": \"gelu\", \"parameters\": {\"rows\": 1}, \"median\": 0.002, \"unit\": \"s\"},\n"
    "{\"benchmark\": \"tcp_loopback\", \"parameters\": {\"connections\": 2}, \"failed\": \"no socket\"},\n"
    "{\"benchmark\": \"stream_triad\", \"parameters\": {\"bytes\": 800000000, \"working_set_bytes\": 800000000, "
    "\"element_bytes\": 4}, \"median\": 0.0004, \"unit\": \"s\"},\n"
    "{\"benchmark\": \"gemm\", \"parameters\": {\"m\": 4096, \"n\": 4096, \"k\": 4096, \"precision\": \"bf16\"}, "
    "\"median\": 0.0005, \"unit\": \"s\", \"derived\": {\"flop_per_s\": 274877906944000}},\n"
    "{\"benchmark\": \"nccl\", \"parameters\": {\"operation\": \"all_reduce\", \"bytes\": 1073741824, \"ranks\": 8}, "
    "\"median\": 0.009, \"unit\": \"s\"}]}\n";

inline const char* const nccl_log =
    "# nThread 1 nGpus 2 minBytes 1048576 maxBytes 8388608 step: 2(factor)\n# Using devices\n"
    "#  Rank  0 Group  0 Pid 11 on secret device  0 [0x07] NVIDIA A100-SXM4-40GB\n"
    "#  Rank  1 Group  0 Pid 12 on secret device  1 [0x0f] NVIDIA A100-SXM4-40GB\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
    "#wrong\n"
    "     1048576        262144     float     sum      -1    30.00   34.95   34.95      0    30.00   34.95   34.95     "
    " 0\n"
    "     8388608       2097152     float     sum      -1    60.00  139.81  139.81      0    60.00  139.81  139.81     "
    " 0\n"
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 87.4\n";

inline const char* const nccl_json =
    "{\"version\": 1, \"args\": [\"./all_reduce_perf\", \"-J\"], \"config\": {\"devices\": [{\"rank\": 0}, {\"rank\": "
    "1}]}, "
    "\"results\": [{\"size\": 8388608, \"count\": 2097152, \"type\": \"float\", \"redop\": \"sum\", \"root\": -1, "
    "\"out_of_place\": {\"time\": 60.0, \"alg_bw\": 139.81, \"bus_bw\": 139.81, \"nwrong\": 0}, \"in_place\": null}]}";

// Of 2.17 and later with columns of single iterations behind each side.
inline const char* const nccl_iterations =
    "# nccl-tests version 2.17.6 nccl-headers=22703 nccl-library=22703\n# Collective test starting: all_gather_perf\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid     11 on     secret device  0 [0000:07:00] NVIDIA A100-SXM4-40GB\n"
    "#  Rank  1 Group  0 Pid     12 on     secret device  1 [0000:0f:00] NVIDIA A100-SXM4-40GB\n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong   i_min   i_max   i_p99   "
    "i_cv%     time   algbw   busbw  #wrong   i_min   i_max   i_p99   i_cv%\n"
    "     8388608       1048576     float    none      -1    60.00  139.81   69.91       0   59.00   63.00   62.90    "
    "1.10    64.00  131.07   65.54       0   61.00   66.00   65.90    1.20\n"
    "secret:11:22 [0] NCCL INFO Channel 00/24 : 0 1\n"
    "     4194304        524288     float    none      -1    40.00  104.86   52.43       0   39.00   43.00   42.90    "
    "1.10    41.00  102.30   51.15       0   40.00   42.00   41.90    1.20\n";

// As nccl-tests 2.17 writes it: hosts, models and groups of devices, a number for the version, roots as padded texts.
inline const char* const nccl_json_new =
    "{\"version\":1,\"args\":[\"/opt/sendrecv_perf\",\"-J\",\"x\"],\"nccl_version\":22703,\"config\":{\"nthreads\":1},"
    "\"devices\":[{\"rank\":0,\"group\":0,\"hostname\":\"secret1\",\"device_info\":\"NVIDIA H100 80GB HBM3\"},"
    "{\"rank\":1,\"group\":0,\"hostname\":\"secret2\",\"device_info\":\"NVIDIA H100 80GB HBM3\"},"
    "{\"rank\":0,\"group\":1,\"hostname\":\"secret3\",\"device_info\":\"NVIDIA H100 80GB HBM3\"}],"
    "\"results\":[{\"size\":8388608,\"count\":2097152,\"type\":\"float\",\"redop\":\"none\",\"root\":\"    -1\","
    "\"out_of_place\":{\"time\":400.0,\"alg_bw\":20.97,\"bus_bw\":20.97,\"nwrong\":null},"
    "\"in_place\":{\"time\":\"nan\",\"alg_bw\":\"nan\",\"bus_bw\":\"nan\",\"nwrong\":\"nan\"}},"
    "{\"size\":1048576,\"out_of_place\":{\"time\":100.0,\"alg_bw\":10.49,\"bus_bw\":10.49},\"in_place\":null}],"
    "\"out_of_bounds\":{\"count\":0,\"okay\":true},\"average_bus_bandwidth\":{\"bandwidth\":15.7,\"okay\":true}}";

// Newer perftest: MiB/sec, a column of service levels, CUDA before the table.
inline const char* const perftest_levels =
    "initializing CUDA\nListing all CUDA devices in system:\n                    RDMA_Read BW Test\n"
    " Number of qps   : 1\n"
    " #bytes    #sl      #iterations    BW peak[MiB/sec]    BW average[MiB/sec]   MsgRate[Mpps]\n"
    " 1048576    3           5000           11100.00            11000.00                  0.011000\n";

inline const char* const gpu_copy =
    "cpu_to_gpu0_by_sm_under_numa0 26.2409\ncpu_to_gpu0_by_dma_under_numa0 26.0\ngpu0_to_cpu_by_sm_under_numa0 5.67\n"
    "gpu0_to_cpu_by_dma_under_numa0=25.8\ngpu0_to_gpu0_by_dma 657.3\ngpu0_to_gpu1_write_by_dma 279.0\n"
    "gpu0_to_gpu1_read_by_sm 261.8\ncpu_and_gpu0_by_dma_under_numa0 49.4\n";

inline const char* const hip_bus =
    "Device:Device 738c Mem=32.0GB #CUs=120 Freq=1502Mhz  MallocMode=pinned\n"
    "                   test        atts        units        median  mean    stddev  min     max\n"
    "   H2D_Bandwidth_pinned      +064By       GB/sec        0.0000  0.0000  0.0000  0.0000  0.0000\n"
    "   H2D_Bandwidth_pinned     65536kB       GB/sec        24.500  24.0101 2.5769  6.1754  24.5292\n"
    "         H2D_Timepinned      +064By           ms        0.0245  0.0253  0.0240  0.0232  0.7821\n";

inline const char* const iperf3_text =
    "Connecting to host 10.0.0.2, port 5201\n[  5] local 10.0.0.1 port 40212 connected to 10.0.0.2 port 5201\n"
    "[  7] local 10.0.0.1 port 40214 connected to 10.0.0.2 port 5201\n"
    "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
    "[  5]   0.00-1.00   sec  10.9 GBytes  93.5 Gbits/sec    0   3.02 MBytes\n- - - - - - -\n"
    "[  5]   0.00-10.00  sec  54.6 GBytes  46.9 Gbits/sec    0             sender\n"
    "[  5]   0.00-10.04  sec  54.6 GBytes  46.7 Gbits/sec                  receiver\n"
    "[  7]   0.00-10.04  sec  54.6 GBytes  46.7 Gbits/sec                  receiver\n"
    "[SUM]   0.00-10.00  sec   109 GBytes  93.8 Gbits/sec    0             sender\n"
    "[SUM]   0.00-10.04  sec   109 GBytes  93.4 Gbits/sec                  receiver\n\niperf Done.\n"
    "[  5] local 10.0.0.1 port 40216 connected to 10.0.0.2 port 5201\n"
    "[  5]   0.00-10.00  sec  1.17 GBytes  1000 Mbits/sec  0.012 ms  12/800 (1.5%)  receiver\n";

// Sixteen ranks. An all-reduce counts twice its size as throughput.
inline const char* const deepspeed =
    "[2026-11-30 10:00:00,000] [INFO] [utils.py:32:print_rank_0] Comm. Op            Message Size        Count         "
    "      Total Latency(ms)   Avg Latency(ms)     tput_avg (Gbps)     busbw_avg (Gbps)    \n"
    "broadcast\n"
    "                    0B                  1                   0.32                0.32                0.00          "
    " "
    "     0.00                \n"
    "                    10.0 KB             3                   0.67                0.22                0.37          "
    " "
    "     0.37                \n"
    "                    1.45 GB             2                   271.11              135.56              91.67         "
    " "
    "     91.67               \n"
    "barrier\n"
    "                    0B                  3                   5.41                1.80                0.00          "
    " "
    "     0.00                \n"
    "all_gather_into_tensor | [Caller Func: _allgather]\n"
    "                    128.0 MB            4                   160.00              40.00               429.50        "
    " "
    "     402.66              \n"
    "all_reduce\n"
    "                    1.0 GB              2                   80.00               40.00               429.50        "
    " "
    "     402.66              \n";

inline const char* const fio_text =
    "seq: (g=0): rw=read, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=libaio, "
    "iodepth=32\n"
    "rnd: (g=1): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=64\n"
    "fio-3.28\nStarting 5 processes\n\nseq: (groupid=0, jobs=1): err= 0: pid=10: Mon Nov 30 10:00:00 2026\n"
    "  read: IOPS=2861, BW=2861MiB/s (3000MB/s)(83.8GiB/30003msec)\n    clat (usec): min=57, max=1234, avg=95.12\n"
    "rnd: (groupid=1, jobs=4): err= 0: pid=11: Mon Nov 30 10:00:30 2026\n"
    "  read: IOPS=85.1k, BW=333MiB/s (349MB/s)(9.74GiB/30001msec)\n\nRun status group 0 (all jobs):\n"
    "   READ: bw=2861MiB/s (3000MB/s), 2861MiB/s-2861MiB/s (3000MB/s-3000MB/s), io=83.8GiB (90.0GB), "
    "run=30003-30003msec\n";

inline const char* const fio2_text =
    "$ fio --name=w --rw=write --bs=128k --direct=1 --iodepth=8\n"
    "w: (g=0): rw=write, bs=128K-128K/128K-128K/128K-128K, ioengine=libaio, iodepth=8\nfio-2.2.10\n"
    "w: (groupid=0, jobs=1): err= 0: pid=12: Mon Nov 30 10:00:00 2026\n"
    "  write: io=20480MB, bw=348743KB/s, iops=2724, runt= 60134msec\n";

inline const char* const stream =
    "Number of Threads requested = 32\nNumber of Threads counted = 32\n"
    "Function    Best Rate MB/s  Avg time     Min time     Max time\n"
    "Copy:          342008.3     0.018755     0.018713     0.018895\n"
    "Triad:         363000.0     0.026599     0.026431     0.026855\n";

inline const char* const gpu_stream =
    "STREAM Benchmark\nDevice 0: \"NVIDIA H100 80GB HBM3\" 132 SMs(9.0)  Memory: 2619MHz x 5120-bit = 3352 GB/s PEAK\n"
    "STREAM_COPY_double_gpu_0_buffer_4294967296_block_128    2900.00 86.5\n"
    "STREAM_TRIAD_double_gpu_0_buffer_4294967296_block_256   3050.00 91.0\n";

// Format and text of each.
inline std::vector<std::pair<std::string, std::string>> all() {
  return {{"perftest", perftest_bw},
          {"perftest", perftest_both},
          {"perftest", perftest_lat},
          {"perftest", perftest_json},
          {"iperf3 JSON", iperf3_tcp},
          {"iperf3 JSON", iperf3_log},
          {"iperf3 JSON", iperf3_bidir},
          {"iperf3 JSON", iperf3_stream},
          {"fio JSON", fio3},
          {"fio JSON", fio2},
          {"fio JSON", fio_clients},
          {"dd", dd_lines},
          {"nvbandwidth", nvbandwidth_text},
          {"nvbandwidth", nvbandwidth_json},
          {"bandwidthTest", bandwidth_test},
          {"bandwidthTest", bandwidth_test_csv},
          {"p2pBandwidthLatencyTest", p2p},
          {"clustersim measurements", own_records},
          {"nccl-tests text", nccl_log},
          {"nccl-tests JSON", nccl_json},
          {"nccl-tests text", nccl_iterations},
          {"nccl-tests JSON", nccl_json_new},
          {"perftest", perftest_levels},
          {"iperf3 text", iperf3_text},
          {"DeepSpeed log", deepspeed},
          {"fio text", fio_text},
          {"fio text", fio2_text},
          {"STREAM", stream},
          {"STREAM", gpu_stream},
          {"copy test", gpu_copy},
          {"copy test", hip_bus}};
}

}  // namespace clustersim::samples
