// The cells of nvidia-smi's matrices, as text holds them. Part of topo_matrix.h, which lists the words.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace clustersim {

struct TopoRow {
  std::string name;
  std::map<std::size_t, std::string> cells;  // by column
  std::string odd_cell;                      // the first with a word that is no relation
  std::string cpus, numa;                    // as written, "" where not told
};

struct TopoMatrix {
  std::vector<std::string> columns;
  bool tells_numa = false;
  std::vector<std::size_t> starts;  // where each column's name stands in the header
  std::vector<TopoRow> rows;
  bool peer = false;  // of topo -p2p
};

// All matrices of a text, at most 16.
std::vector<TopoMatrix> topo_matrices(const std::vector<std::string>& lines);
// "NIC0: mlx5_0" of the legend.
std::map<std::string, std::string> nic_legend(const std::vector<std::string>& lines);

bool below_one_switch(const std::string& word);  // PIX, PXB, PSB
bool on_one_socket(const std::string& word);     // PHB, NODE
bool is_peer_word(const std::string& word);      // of topo -p2p
// Links of "NV12"; empty for other words, and for a number that no GPU has: "NV999", "NV-3", "NV0".
std::optional<int> nvlinks_of(const std::string& word);
bool is_impossible(const std::string& word);
// Of a column "GPU3".
std::optional<int> gpu_number(const std::string& word);

}  // namespace clustersim
