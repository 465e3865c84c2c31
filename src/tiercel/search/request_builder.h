// RequestBuilder: what ParseSearchRequest fills in from the body and then from the URL, before the parts are checked
// together.
//
// Internal to request parsing. Thread safety: one thread. Lifetime: as SearchRequest.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "tiercel/search/request.h"

namespace tiercel::search {

struct RequestBuilder {
  std::shared_ptr<SearchRequest> request = std::make_shared<SearchRequest>();
  std::optional<int32_t> size;
  json::Value knn;        // parsed when the size is known, which gives k its default
  json::Value retriever;  // likewise

  // One top-level member of the body. (request.cc)
  Status AddBodyMember(std::string_view key, json::Value value);
  // One parameter of the URL; those that mean nothing here are passed over. (request_url.cc)
  Status AddUrlParameter(std::string_view name, std::string_view value);
  Status AddUrlGroups(const UrlParameters& url);
  // Knn, retriever and the checks that need everything.
  Result<std::shared_ptr<const SearchRequest>> Finish() &&;

 private:
  Status FoldRetriever();
  Status CheckTogether() const;
};

}  // namespace tiercel::search
