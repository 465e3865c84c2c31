#include "tiercel/loader/http_client.h"

#include <curl/curl.h>

#include <utility>

namespace tiercel::loader {

struct HttpClient::State {
  Endpoint endpoint;
  CURL* curl = nullptr;
};

namespace {

size_t AppendBody(char* data, size_t size, size_t count, void* body) {
  static_cast<std::string*>(body)->append(data, size * count);
  return size * count;
}

}  // namespace

HttpClient::HttpClient(Endpoint endpoint) : state_(std::make_unique<State>()) {
  state_->endpoint = std::move(endpoint);
  state_->curl = curl_easy_init();
  TIERCEL_CHECK(state_->curl != nullptr, "curl_easy_init");
}

HttpClient::~HttpClient() { curl_easy_cleanup(state_->curl); }

Result<HttpReply> HttpClient::Send(std::string_view method, const std::string& path, std::string_view body,
                                   std::string_view content_type) {
  CURL* curl = state_->curl;
  const Endpoint& endpoint = state_->endpoint;
  curl_easy_reset(curl);  // keeps the connection
  HttpReply reply;
  const std::string url = endpoint.url + path;
  const std::string verb(method);
  curl_slist* headers = nullptr;
  headers = curl_slist_append(headers, "Expect:");
  if (!content_type.empty())
    headers = curl_slist_append(headers, ("Content-Type: " + std::string(content_type)).c_str());
  if (!endpoint.api_key.empty())
    headers = curl_slist_append(headers, ("Authorization: ApiKey " + endpoint.api_key).c_str());
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, verb.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(endpoint.timeout_ms));
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
  if (!endpoint.user.empty()) curl_easy_setopt(curl, CURLOPT_USERPWD, endpoint.user.c_str());
  if (!content_type.empty()) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.data());
  }
  if (method == "HEAD") curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, AppendBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply.body);
  const CURLcode code = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  if (code != CURLE_OK) return Unavailable(endpoint.url + ": " + curl_easy_strerror(code));
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  return reply;
}

}  // namespace tiercel::loader
