// The running program as a browser, a careless client and a hostile page meet it. What it answers is in
// tests/sim/serve_test.cc.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

// The least that a template is, so that these tests need no npm.
std::string template_path() {
  static const std::string path = [] {
    const auto file =
        std::filesystem::temp_directory_path() / ("clustersim-page-" + std::to_string(getpid()) + ".html");
    std::ofstream(file)
        << R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-x'">
<title>@TITLE@</title><pre>@TEXT@</pre><script type="application/json" id="data">@DATA@</script>)";
    return file.string();
  }();
  return path;
}

// `clustersim serve` on a port of its own.
class Served {
 public:
  Served() {
    std::array<int, 2> said{};
    if (pipe(said.data()) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ == 0) {
      dup2(said[1], STDERR_FILENO);
      close(said[0]);
      setenv("CLUSTERSIM_PAGE", template_path().c_str(), 1);
      execl(CLUSTERSIM_PROGRAM, "clustersim", "serve", CLUSTERSIM_SOURCE_DIR "/scenarios/4node-100g.json", "--port",
            "0", static_cast<char*>(nullptr));
      _exit(127);
    }
    close(said[1]);
    std::string text;
    for (char c = 0; text.find("/ (") == std::string::npos && read(said[0], &c, 1) == 1;) text += c;
    const std::size_t at = text.find("127.0.0.1:");
    if (at == std::string::npos) throw std::runtime_error("not served: " + text);
    port = std::stoi(text.substr(at + 10));
    close(said[0]);
  }
  ~Served() {
    if (child_ > 0) end(SIGKILL);
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  // The exit code after a signal; 1000 + its number where the signal killed it.
  int end(int signal) {
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(port); }

  // What comes back for these bytes; "" where the connection is closed without a word. A client that `hangs_up` says
  // that no more will come, and is then not answered.
  std::string send_raw(const std::string& request, bool hangs_up = false) const {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    const timeval patience{10, 0};
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string answer;
    if (connect(s, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      send(s, request.data(), request.size(), MSG_NOSIGNAL);
      if (hangs_up) shutdown(s, SHUT_WR);
      std::array<char, 65536> part{};
      for (ssize_t n = 0; (n = recv(s, part.data(), part.size(), 0)) > 0;)
        answer.append(part.data(), static_cast<std::size_t>(n));
    }
    close(s);
    return answer;
  }
  // The status of a request with these lines of header, after the Host that belongs.
  int status(const std::string& line, const std::string& headers = "", const std::string& body = "") const {
    return status_of(send_raw(line + " HTTP/1.1\r\nHost: " + host() + "\r\n" + headers + "\r\n" + body));
  }
  static int status_of(const std::string& answer) {
    return answer.size() > 12 && answer.compare(0, 5, "HTTP/") == 0 ? std::stoi(answer.substr(9, 3)) : 0;
  }
  int post(const std::string& body, const std::string& headers = "") const {
    return status("POST /answer",
                  "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers,
                  body);
  }

  int port = 0;

 private:
  pid_t child_ = -1;
};

// Numbers without a library's distributions: the same requests on every machine.
struct Numbers {
  std::uint64_t state = 88172645463325252ULL;
  std::size_t below(std::size_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::size_t>(state % n);
  }
};

struct Malformed {
  std::string request;
  bool whole = false;  // else the program waits for more, until the client hangs up
};

// A sound request with something broken in it.
Malformed malformed(const Served& served, Numbers& numbers) {
  const std::string body = R"({"changes": [{"pointer": "/cluster/nodes", "value": 4}]})";
  std::string request = "POST /answer HTTP/1.1\r\nHost: " + served.host() +
                        "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
                        "\r\n\r\n" + body;
  switch (numbers.below(8)) {
    case 0:  // cut off
      return {request.substr(0, numbers.below(request.size()))};
    case 1:  // noise
      request.assign(numbers.below(3000), '\0');
      for (char& c : request) c = static_cast<char>(numbers.below(256));
      return {request};
    case 2:  // some bytes are others
      for (int i = 0; i < 8; ++i) request[numbers.below(request.size())] = static_cast<char>(numbers.below(256));
      return {request};
    case 3:  // a header without end
      return {"GET / HTTP/1.1\r\nHost: " + served.host() + "\r\nX: " + std::string(20000, 'x') + "\r\n\r\n", true};
    case 4:  // lengths that are none
      return {"POST /answer HTTP/1.1\r\nHost: " + served.host() +
              "\r\nContent-Type: application/json\r\nContent-Length: " +
              (numbers.below(2) ? "99999999999999999999" : "-1") + "\r\n\r\n" + body};
    case 5:  // chunks that are none
      return {"POST /answer HTTP/1.1\r\nHost: " + served.host() +
              "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n" + body};
    case 6:  // another method, another place
      return {std::string(numbers.below(2) ? "DELETE" : "PUT") + " /" + std::string(numbers.below(50), '/') +
                  "../etc/passwd HTTP/1.1\r\nHost: " + served.host() + "\r\nContent-Length: 5\r\n\r\nabcde",
              true};
    default:  // JSON that is none
      return {"POST /answer HTTP/1.1\r\nHost: " + served.host() +
                  "\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{\"changes\": [[[[[",
              true};
  }
}

}  // namespace

TEST_CASE("the page and its answers, and what stands beside them") {
  Served served;
  const std::string page = served.send_raw("GET / HTTP/1.1\r\nHost: " + served.host() + "\r\n\r\n");
  CHECK(Served::status_of(page) == 200);
  CHECK(page.find("<title>4node-100g - clustersim</title>") != std::string::npos);
  CHECK(page.find("Content-Security-Policy: default-src 'none'; connect-src 'self'; script-src 'sha256-x'; "
                  "frame-ancestors 'none'\r\n") != std::string::npos);
  CHECK(page.find("Cache-Control: no-store\r\n") != std::string::npos);
  CHECK(page.find("X-Content-Type-Options: nosniff\r\n") != std::string::npos);
  CHECK(page.find("Access-Control") == std::string::npos);
  CHECK(served.post(R"({"changes": [{"pointer": "/cluster/nodes", "value": 2}]})") == 200);
  CHECK(served.post(R"({"changes": [{"pointer": "/cluster/node/topology", "value": "/etc/passwd"}]})") == 422);
  CHECK(served.post("{}", "Origin: http://" + served.host() + "\r\n") == 200);
  CHECK(served.status_of(
            served.send_raw("GET / HTTP/1.1\r\nHost: localhost:" + std::to_string(served.port) + "\r\n\r\n")) == 200);
  CHECK(served.status("HEAD /") == 200);
  CHECK(served.end(SIGINT) == 0);
}

TEST_CASE("strangers' names, methods, places and bodies are refused") {
  Served served;
  for (const std::string& host :
       {std::string("evil.example"), "evil.example:" + std::to_string(served.port), std::string("127.0.0.1"),
        std::string("127.0.0.1:1"), "127.0.0.1.evil.example:" + std::to_string(served.port), std::string()})
    CHECK(Served::status_of(served.send_raw("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n")) == 403);
  CHECK(Served::status_of(served.send_raw("GET / HTTP/1.1\r\n\r\n")) == 403);
  CHECK(Served::status_of(
            served.send_raw("GET / HTTP/1.1\r\nHost: " + served.host() + "\r\nHost: evil.example\r\n\r\n")) == 403);
  CHECK(served.post("{}", "Origin: http://evil.example\r\n") == 403);
  CHECK(served.post("{}", "Origin: null\r\n") == 403);
  for (const char* path : {"/etc/passwd", "/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                           "/page.html", "/scenarios/4node-100g.json", "/answer/x"})
    CHECK(served.status("GET " + std::string(path)) == 404);
  CHECK(served.status("GET /answer") == 405);
  CHECK(served.status("POST /", "Content-Length: 2\r\n", "{}") == 405);
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS"})
    CHECK(served.status(std::string(method) + " /answer") == 405);
  CHECK(served.status("POST /answer", "Content-Length: 2\r\n", "{}") == 415);
  CHECK(served.status("POST /answer", "Content-Type: text/plain\r\nContent-Length: 2\r\n", "{}") == 415);
  CHECK(served.post("{}", "Content-Encoding: gzip\r\n") == 415);
  const int too_large = served.post("{\"x\": \"" + std::string(17000, 'x') + "\"}");
  CHECK((too_large == 413 || too_large == 0));  // said, unless the rest of the body met a closed connection
  CHECK(served.post("{}") == 200);
  CHECK(served.end(SIGTERM) == 0);
}

TEST_CASE("a thousand malformed requests and sixty-four clients at once leave it serving") {
  Served served;
  Numbers numbers;
  for (int i = 0; i < 1000; ++i) {
    const auto [request, whole] = malformed(served, numbers);
    const int status = Served::status_of(served.send_raw(request, !whole));
    CHECK((whole ? status >= 400 && status < 500 : status < 500));
  }
  std::vector<int> statuses(64, 0);
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < statuses.size(); ++c)
    clients.emplace_back([&, c] {
      for (int i = 0; i < 2; ++i)
        statuses[c] =
            served.post(R"({"changes": [{"pointer": "/cluster/nodes", "value": )" + std::to_string(c + 1) + "}]}");
    });
  for (std::thread& client : clients) client.join();
  int answered = 0;
  for (const int status : statuses) {
    CHECK((status == 200 || status == 429));
    if (status == 200) ++answered;
  }
  CHECK(answered > 0);
  int last = 429;
  for (int i = 0; i < 50 && last == 429; ++i) {
    last = served.post("{}");
    if (last == 429) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  CHECK(last == 200);
  CHECK(served.end(SIGTERM) == 0);
}
