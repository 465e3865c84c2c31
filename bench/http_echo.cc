// The floor that the server is measured against: a bare Boost.Beast server, one io_context and one SO_REUSEPORT
// listener a thread, that answers every request with a body of BODY_BYTES. No routes, limits or time-outs.
//
// usage: http_echo PORT BODY_BYTES [THREADS]
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
  Session(tcp::socket socket, size_t body_bytes) : socket_(std::move(socket)) {
    response_.result(http::status::ok);
    response_.set(http::field::content_type, "application/json");
    response_.body() = std::string(body_bytes, 'x');
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

void Accept(tcp::acceptor& acceptor, size_t body_bytes) {
  acceptor.async_accept([&acceptor, body_bytes](beast::error_code error, tcp::socket socket) {
    if (!error) {
      socket.set_option(tcp::no_delay(true), error);
      std::make_shared<Session>(std::move(socket), body_bytes)->Read();
    }
    Accept(acceptor, body_bytes);
  });
}

void Serve(uint16_t port, size_t body_bytes) {
  asio::io_context context(1);
  tcp::acceptor acceptor(context);
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
  acceptor.open(endpoint.protocol());
  acceptor.set_option(tcp::acceptor::reuse_address(true));
  acceptor.set_option(ReusePort(true));
  acceptor.bind(endpoint);
  acceptor.listen();
  Accept(acceptor, body_bytes);
  context.run();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: http_echo PORT BODY_BYTES [THREADS]\n");
    return 2;
  }
  const auto port = static_cast<uint16_t>(std::atoi(argv[1]));
  const size_t body_bytes = std::strtoul(argv[2], nullptr, 10);
  const unsigned threads =
      argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(Serve, port, body_bytes);
  Serve(port, body_bytes);
}
