// `iblinkinfo`: the links of an InfiniBand network and their rates.
//
//    1   12[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>  3   1[  ] "node1 mlx5_0" ( )
// The rate is that of a lane on the wire: four of 25.78 Gbit/s are EDR, 100 Gbit/s of data. Ports that are down are not
// counted, names not kept.
// Source: InfiniBand's link rates and codes (8 of 10 bits up to QDR, 64 of 66 from FDR on). Checked by:
// tests/sim/import_inventory_test.cc
#pragma once

#include <string>
#include <vector>

namespace clustersim {

struct IbLinks {
  struct Rate {
    int lanes = 0;
    double lane_gbit = 0, data_gbit = 0;  // of a lane as printed; of the link
    const char* name = "";
    int links = 0;
  };
  std::vector<Rate> rates;  // most links first
};

bool is_ib_links(const std::string& text);
// InputError where no link is active.
IbLinks read_ib_links(const std::string& text, const std::string& path);

}  // namespace clustersim
