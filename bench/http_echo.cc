// The floor that the server is measured against: a bare Boost.Beast server, one io_context and one SO_REUSEPORT
// listener a thread, that answers every request with 1 KiB. No routes, limits or time-outs.
//
// usage: http_echo PORT [THREADS]
#include <sys/socket.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(tcp::socket socket) : socket_(std::move(socket)) {
    response_.result(http::status::ok);
    response_.set(http::field::content_type, "application/json");
    response_.body() = std::string(1024, 'x');
    response_.prepare_payload();
  }
  void Read() {
    request_ = {};
    http::async_read(socket_, buffer_, request_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (!error) self->Write();
    });
  }

 private:
  void Write() {
    response_.keep_alive(request_.keep_alive());
    http::async_write(socket_, response_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (!error && self->request_.keep_alive()) self->Read();
    });
  }

  tcp::socket socket_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
};

void Accept(tcp::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](beast::error_code error, tcp::socket socket) {
    if (!error) {
      socket.set_option(tcp::no_delay(true), error);
      std::make_shared<Session>(std::move(socket))->Read();
    }
    Accept(acceptor);
  });
}

void Serve(uint16_t port) {
  asio::io_context context(1);
  tcp::acceptor acceptor(context);
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
  acceptor.open(endpoint.protocol());
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  acceptor.set_option(ReusePort(true));
  acceptor.bind(endpoint);
  acceptor.listen();
  Accept(acceptor);
  context.run();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: http_echo PORT [THREADS]\n");
    return 2;
  }
  const auto port = static_cast<uint16_t>(std::atoi(argv[1]));
  const unsigned threads =
      argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(Serve, port);
  Serve(port);
}
