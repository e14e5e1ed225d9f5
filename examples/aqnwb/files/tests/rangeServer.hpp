#pragma once

#ifndef _WIN32

#  include <algorithm>
#  include <atomic>
#  include <cstdint>
#  include <cstdio>
#  include <fstream>
#  include <iterator>
#  include <stdexcept>
#  include <string>
#  include <thread>

#  include <netinet/in.h>
#  include <poll.h>
#  include <sys/socket.h>
#  include <sys/time.h>
#  include <unistd.h>

#  ifndef MSG_NOSIGNAL
#    define MSG_NOSIGNAL 0
#  endif

/**
 * @brief A small HTTP server for the tests of remote files.
 *
 * Serves one local file under `/file`, as it is on disk at the time of each
 * request, by byte ranges on the loopback interface. One request at a time and
 * one per connection.
 */
class RangeServer
{
public:
  explicit RangeServer(const std::string& path)
      : m_path(path)
      , m_socket(::socket(AF_INET, SOCK_STREAM, 0))
  {
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (m_socket < 0 || ::bind(m_socket, generic, size) != 0
        || ::listen(m_socket, 64) != 0
        || ::getsockname(m_socket, generic, &size) != 0)
    {
      throw std::runtime_error("RangeServer: cannot listen");
    }
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this]() { serve(); });
  }

  ~RangeServer()
  {
    m_stop = true;
    m_thread.join();
    ::close(m_socket);
  }

  RangeServer(const RangeServer&) = delete;
  RangeServer& operator=(const RangeServer&) = delete;

  std::string url(const std::string& name = "file") const
  {
    return "http://127.0.0.1:" + std::to_string(m_port) + "/" + name;
  }

  /** @brief The number of requests so far. */
  int requests() const { return m_requests; }

private:
  void serve()
  {
    while (!m_stop) {
      pollfd ready {m_socket, POLLIN, 0};
      if (::poll(&ready, 1, 50) <= 0) {
        continue;
      }
      const int client = ::accept(m_socket, nullptr, nullptr);
      if (client < 0) {
        continue;
      }
      const timeval limit {5, 0};
      ::setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
      const std::string request = receive(client);
      if (!request.empty()) {
        ++m_requests;
        send(client, answer(request));
      }
      ::close(client);
    }
  }

  static std::string receive(int client)
  {
    std::string request;
    char buffer[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t count = ::recv(client, buffer, sizeof(buffer), 0);
      if (count <= 0) {
        return std::string();
      }
      request.append(buffer, static_cast<size_t>(count));
    }
    return request;
  }

  static void send(int client, const std::string& text)
  {
    size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t count =
          ::send(client, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) {
        return;
      }
      sent += static_cast<size_t>(count);
    }
  }

  std::string answer(const std::string& request) const
  {
    if (request.compare(0, 10, "GET /file ") != 0) {
      return head("404 Not Found", 0);
    }
    std::ifstream stream(m_path, std::ios::binary);
    const std::string content {std::istreambuf_iterator<char>(stream),
                               std::istreambuf_iterator<char>()};
    unsigned long long first = 0;
    unsigned long long last = 0;
    const size_t range = request.find("ange: bytes=");
    if (range == std::string::npos
        || std::sscanf(
               request.c_str() + range, "ange: bytes=%llu-%llu", &first, &last)
            != 2
        || first >= content.size())
    {
      return head("416 Range Not Satisfiable", 0);
    }
    last = std::min<unsigned long long>(last, content.size() - 1);
    const std::string body = content.substr(first, last - first + 1);
    return head("206 Partial Content",
                body.size(),
                "Content-Range: bytes " + std::to_string(first) + "-"
                    + std::to_string(last) + "/"
                    + std::to_string(content.size()) + "\r\n")
        + body;
  }

  static std::string head(const std::string& status,
                          size_t size,
                          const std::string& more = std::string())
  {
    return "HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: "
        + std::to_string(size) + "\r\n" + more + "\r\n";
  }

  std::string m_path;
  int m_socket;
  uint16_t m_port = 0;
  std::atomic<int> m_requests {0};
  std::atomic<bool> m_stop {false};
  std::thread m_thread;
};

#endif
