// RawClient: a blocking TCP socket for tests of the transport: sends exactly the bytes it is told to.
//
// Thread safety: one thread. Reads give up after ten seconds, so that a broken server fails a test instead of hanging
// it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace tiercel::server {

class RawClient {
 public:
  explicit RawClient(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), connected_(other.connected_), buffer_(std::move(other.buffer_)) {}
  ~RawClient() { Close(); }

  bool connected() const { return connected_; }
  void Close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  // A reset instead of an orderly end.
  void Abort() {
    const linger now{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    Close();
  }
  void HalfClose() { ::shutdown(socket_, SHUT_WR); }

  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  struct Answer {
    int status = 0;
    std::string head, body;
    // The value of a header whose name is given as sent.
    std::string Header(std::string_view name) const {
      const size_t at = head.find("\r\n" + std::string(name) + ": ");
      if (at == std::string::npos) return {};
      const size_t start = at + 4 + name.size();
      return head.substr(start, head.find("\r\n", start) - start);
    }
  };
  // One answer with a content-length; `head_only` for HEAD requests. Status 0 when the connection ended first.
  Answer Receive(bool head_only = false) {
    Answer answer;
    size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return answer;
    }
    answer.head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    const size_t length = head_only ? 0 : std::strtoull(answer.Header("content-length").c_str(), nullptr, 10);
    while (buffer_.size() < length) {
      if (!Fill()) return answer;
    }
    answer.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    answer.status = std::atoi(answer.head.c_str() + 9);
    return answer;
  }
  // True when the server ends the connection without sending more.
  bool AtEnd() { return buffer_.empty() && !Fill(); }
  std::string ReceiveBytes(size_t count) {
    while (buffer_.size() < count && Fill()) {
    }
    std::string bytes = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return bytes;
  }

 private:
  bool Fill() {
    std::array<char, 65536> bytes;
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    buffer_.append(bytes.data(), static_cast<size_t>(got));
    return true;
  }

  int socket_;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace tiercel::server
