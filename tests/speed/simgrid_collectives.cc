// simgrid_collectives ring|a2a K BYTES [--cfg=...]: the workloads of fat_tree.h on SimGrid's public S4U interface.
//
// Ring: an actor a host; each step it sends its chunk to the next host's mailbox, and goes on when that was delivered
// and the chunk of its predecessor has come. All-to-all: direct communications between all pairs, started at once.
// Options that give raw link rates: network/model:CM02 network/crosstraffic:0 network/TCP-gamma:0.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;

void ring_rank(int rank, int ranks, std::uint64_t chunk) {
  static char token;
  s4u::Mailbox* from_before = s4u::Mailbox::by_name(std::to_string(rank));
  s4u::Mailbox* to_next = s4u::Mailbox::by_name(std::to_string((rank + 1) % ranks));
  for (int step = 0; step < 2 * (ranks - 1); ++step) {
    const s4u::CommPtr sending = to_next->put_async(&token, chunk);
    from_before->get<char>();
    sending->wait();
  }
}

void all_pairs(const std::vector<s4u::Host*>& hosts, std::uint64_t bytes) {
  std::vector<s4u::CommPtr> pending;
  for (s4u::Host* from : hosts)
    for (s4u::Host* to : hosts)
      if (from != to) pending.push_back(s4u::Comm::sendto_async(from, to, bytes));
  for (const s4u::CommPtr& one : pending) one->wait();
}

}  // namespace

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  if (argc != 4 || std::atoi(argv[2]) < 2) return 2;
  const bool is_ring = std::string(argv[1]) == "ring";
  const unsigned k = static_cast<unsigned>(std::atoi(argv[2]));
  const double bytes = std::atof(argv[3]);
  std::vector<s4u::Host*> hosts;
  const auto make_host = [&](s4u::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
    hosts.push_back(zone->create_host("host" + std::to_string(id), "1Gf")->seal());
    return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
        hosts.back()->get_netpoint(), nullptr);
  };
  const s4u::FatTreeParams shape(3, {k / 2, k / 2, k}, {1, k / 2, k / 2}, {1, 1, 1});
  s4u::create_fatTree_zone("tree", nullptr, shape, s4u::ClusterCallbacks(make_host), 12.5e9, 1e-6,
                           s4u::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  const int ranks = static_cast<int>(hosts.size());
  if (is_ring) {
    const auto chunk = static_cast<std::uint64_t>(bytes / ranks);
    for (int rank = 0; rank < ranks; ++rank)
      s4u::Actor::create("rank", hosts[static_cast<std::size_t>(rank)], [=] { ring_rank(rank, ranks, chunk); });
  } else {
    s4u::Actor::create("all", hosts[0], [&] { all_pairs(hosts, static_cast<std::uint64_t>(bytes)); });
  }
  engine.run();
  std::printf("hosts %d simulated %.9f s\n", ranks, s4u::Engine::get_clock());
}
