// TCP over the loopback interface: what a core moves, and the latency of a socket.
//
//   tcp_loopback    median = seconds a message on one connection; bytes_per_cpu_s counts the processor time of both
//   ends tcp_round_trip  median = seconds there and back
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "tools/hostbench/bench.h"
#include "tools/measurement/statistics.h"

namespace clustersim::hostbench {
namespace {

std::runtime_error cannot(const char* what) {
  return std::runtime_error(std::string("cannot ") + what + " on 127.0.0.1: " + std::strerror(errno));
}

class Socket {
 public:
  explicit Socket(int descriptor, const char* what) : descriptor_(descriptor) {
    if (descriptor < 0) throw cannot(what);
  }
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// The two ends of one connection.
struct Pair {
  std::unique_ptr<Socket> client, server;

  Pair() {
    const Socket listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "make a socket");
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = reinterpret_cast<sockaddr*>(&address);
    if (bind(listener.get(), general, size) != 0 || listen(listener.get(), 1) != 0 ||
        getsockname(listener.get(), general, &size) != 0) {
      throw cannot("listen");
    }
    client = std::make_unique<Socket>(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "make a socket");
    if (connect(client->get(), general, size) != 0) throw cannot("connect");
    server = std::make_unique<Socket>(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept");
    const int on = 1;
    const timeval limit = {5, 0};
    for (int end : {client->get(), server->get()}) {
      setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      setsockopt(end, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
      setsockopt(end, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    }
  }
};

void send_all(int end, const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t sent = send(end, data, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR && !interrupted()) continue;
    if (sent <= 0) throw cannot("send");
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
}

// False at the end of the stream.
bool receive_all(int end, char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = recv(end, data, bytes, 0);
    if (got < 0 && errno == EINTR && !interrupted()) continue;
    if (got < 0) throw cannot("receive");
    if (got == 0) return false;
    data += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

struct Stream {
  double message_s;  // on one connection
  double cpu_s;      // of both ends, a message
};

Stream stream_round(int connections, std::size_t message_bytes, double seconds) {
  std::vector<Pair> pairs(static_cast<std::size_t>(connections));
  std::vector<std::int64_t> messages(pairs.size());
  // Even threads send on a connection, odd ones receive.
  const Together together = run_together(first_cpus(usable_cpus(), 2 * connections), [&](int index) {
    Pair& pair = pairs[static_cast<std::size_t>(index / 2)];
    std::vector<char> buffer(message_bytes, 'x');
    if (index % 2 == 0) {
      const double end_s = now_s() + seconds;
      while (now_s() < end_s && !interrupted()) send_all(pair.client->get(), buffer.data(), buffer.size());
      shutdown(pair.client->get(), SHUT_WR);
    } else {
      while (receive_all(pair.server->get(), buffer.data(), buffer.size())) ++messages[index / 2];
    }
  });
  double all_messages = 0;
  for (std::int64_t part : messages) all_messages += static_cast<double>(part);
  if (all_messages == 0) throw std::runtime_error("no message arrived");
  return {together.elapsed_s * connections / all_messages, together.cpu_s / all_messages};
}

Record measure_stream(int connections, const Settings& settings) {
  constexpr std::int64_t message_bytes = 1024 * 1024;
  std::vector<double> cpu_s;
  const auto samples = sample_rounds(settings.quick ? 5 : 9, settings.quick ? 0.1 : 0.25, [&](double seconds) {
    const Stream stream = stream_round(connections, message_bytes, seconds);
    cpu_s.push_back(stream.cpu_s);
    return stream.message_s;
  });
  Record record = measurement::measured(
      "tcp_loopback", {{"connections", std::int64_t{connections}}, {"message_bytes", message_bytes}}, samples);
  record.derived = {{"bytes_per_s", connections * static_cast<double>(message_bytes) / record.median},
                    {"bytes_per_cpu_s", static_cast<double>(message_bytes) / measurement::summarise(cpu_s).median}};
  return record;
}

Record measure_round_trip(const Settings& settings) {
  const int trips = settings.quick ? 1000 : 5000;
  const auto samples = sample_rounds(settings.quick ? 5 : 9, 0, [&](double) {
    Pair pair;
    const Together together = run_together(first_cpus(usable_cpus(), 2), [&](int index) {
      char byte = 'x';
      const int end = index == 0 ? pair.client->get() : pair.server->get();
      for (int i = 0; i < trips; ++i) {
        if (index == 0) send_all(end, &byte, 1);
        if (!receive_all(end, &byte, 1)) throw std::runtime_error("the connection ended early");
        if (index == 1) send_all(end, &byte, 1);
      }
    });
    return together.elapsed_s / trips;
  });
  return measurement::measured("tcp_round_trip", {{"message_bytes", std::int64_t{1}}}, samples);
}

}  // namespace

std::vector<Record> run_loopback(const Settings& settings) {
  std::vector<int> counts = {1, std::max(1, static_cast<int>(usable_cpus().size()) / 2)};
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::vector<Record> records;
  for (int connections : counts) records.push_back(measure_stream(connections, settings));
  records.push_back(measure_round_trip(settings));
  return records;
}

}  // namespace clustersim::hostbench
