#include "tools/clustersim/http/page_server.h"

#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "clustersim/error.h"

namespace clustersim {
namespace {

constexpr std::size_t longest_body = 16 * 1024;
constexpr double burst = 100, refill_per_s = 30;
constexpr int connections = 64;
constexpr int timeout_s = 5;

// A hundred at once, then thirty a second.
class RateLimit {
 public:
  bool admit() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    left_ = std::min(burst, left_ + refill_per_s * std::chrono::duration<double>(now - since_).count());
    since_ = now;
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  std::mutex mutex_;
  double left_ = burst;
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

// At most one run a core; the others wait for their turn.
class Turns {
 public:
  Turns() : free_(std::max(1U, std::thread::hardware_concurrency())) {}
  void take() {
    std::unique_lock<std::mutex> lock(mutex_);
    freed_.wait(lock, [&] { return free_ > 0; });
    --free_;
  }
  void give() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++free_;
    }
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  unsigned free_;
};

struct Turn {
  explicit Turn(Turns& turns) : turns_(turns) { turns_.take(); }
  ~Turn() { turns_.give(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  Turns& turns_;
};

std::string media_type(const std::string& content_type) {
  return content_type.substr(0, content_type.find_first_of("; "));
}

}  // namespace

class PageServer::Server {
 public:
  explicit Server(const ServedScenario& scenario) : scenario_(scenario), page_(serve_page(scenario)) {
    http_.new_task_queue = [] { return new httplib::ThreadPool(connections); };
    http_.set_keep_alive_max_count(1);
    http_.set_payload_max_length(longest_body);
    http_.set_read_timeout(timeout_s);
    http_.set_write_timeout(timeout_s);
    // No other program may take the port beside this one.
    http_.set_socket_options([](int socket) {
      const int yes = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http_.set_default_headers({{"Content-Security-Policy", page_.policy},
                               {"X-Content-Type-Options", "nosniff"},
                               {"X-Frame-Options", "DENY"},
                               {"Referrer-Policy", "no-referrer"},
                               {"Cross-Origin-Resource-Policy", "same-origin"},
                               {"Cache-Control", "no-store"}});
    http_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      const int refused = refusal(request);
      if (refused == 0) return httplib::Server::HandlerResponse::Unhandled;
      refuse(response, refused);
      return httplib::Server::HandlerResponse::Handled;
    });
    http_.Get("/", [this](const httplib::Request&, httplib::Response& response) {
      response.set_content(page_.html, "text/html; charset=utf-8");
    });
    http_.Post("/answer", [this](const httplib::Request&, httplib::Response& response,
                                 const httplib::ContentReader& body) { answer(response, body); });
    http_.set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr) {
      response.status = 500;
      response.set_content("a fault of the program\n", "text/plain");
    });
  }

  int bind(int port) {
    if (port == 0)
      port_ = http_.bind_to_any_port("127.0.0.1");
    else if (http_.bind_to_port("127.0.0.1", port))
      port_ = port;
    if (port_ <= 0)
      throw InputError({{"command line", "--port", "a free port of 127.0.0.1", std::to_string(port),
                         "another one, or 0 for any that is free"}});
    for (const char* name : {"127.0.0.1", "localhost"}) hosts_.push_back(name + (":" + std::to_string(port_)));
    return port_;
  }
  void listen() { http_.listen_after_bind(); }
  void stop() { http_.stop(); }

 private:
  // The status to refuse a request with before anything of its body is read; 0: none.
  int refusal(const httplib::Request& request) {
    const std::string host = request.get_header_value("Host");
    if (request.get_header_value_count("Host") != 1 || std::find(hosts_.begin(), hosts_.end(), host) == hosts_.end())
      return 403;
    if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host) return 403;
    const bool page = request.path == "/", reads = request.method == "GET" || request.method == "HEAD";
    if (!page && request.path != "/answer") return 404;
    if (page ? !reads : request.method != "POST") return 405;
    if (request.has_header("Content-Encoding")) return 415;
    if (!page && media_type(request.get_header_value("Content-Type")) != "application/json") return 415;
    if (page && (request.has_header("Content-Length") || request.has_header("Transfer-Encoding"))) return 400;
    return rate_.admit() ? 0 : 429;
  }

  static void refuse(httplib::Response& response, int status) {
    response.status = status;
    if (status == 429) response.set_header("Retry-After", "1");
    response.set_content("refused\n", "text/plain");
  }

  void answer(httplib::Response& response, const httplib::ContentReader& body) {
    std::string text;
    const bool whole = body([&](const char* data, std::size_t length) {
      if (text.size() + length > longest_body) return false;
      text.append(data, length);
      return true;
    });
    if (!whole) {
      if (response.status < 400) refuse(response, text.size() >= longest_body ? 413 : 400);
      return;
    }
    const Turn turn(turns_);
    const ServeAnswer answer = serve_answer(scenario_, text);
    response.status = answer.ok ? 200 : 422;
    response.set_content(answer.json, "application/json");
  }

  ServedScenario scenario_;
  ServedPage page_;
  httplib::Server http_;
  RateLimit rate_;
  Turns turns_;
  int port_ = -1;
  std::vector<std::string> hosts_;
};

PageServer::PageServer(const ServedScenario& scenario) : server_(std::make_unique<Server>(scenario)) {}
int PageServer::bind(int port) { return server_->bind(port); }
void PageServer::listen() { server_->listen(); }
void PageServer::stop() { server_->stop(); }

PageServer::~PageServer() = default;

}  // namespace clustersim
