// Media types: what a request's Content-Type and Accept ask for, and the Content-Type of its answer.
//
// Vendored types (application/vnd.elasticsearch+json; compatible-with=N) are accepted for 7, 8 and 9 and echoed. A
// request may vendor one header and not the other: refusing that is the most reported upgrade failure of clients, and
// helps nobody.
//
// Thread safety: free functions and values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tiercel/base/result.h"

namespace tiercel::server {

enum class MediaFormat { kJson, kNdjson, kYaml, kText, kCbor, kSmile };

struct MediaType {
  MediaFormat format = MediaFormat::kJson;
  bool vendored = false;
  int compatible_with = 0;  // 0: not said
};

// One media type with its parameters; nothing when we do not know it. A bad compatible-with is kept as -1.
std::optional<MediaType> ParseMediaType(std::string_view text);

struct Negotiated {
  std::optional<MediaType> body;      // of the request, when it named one that we read
  std::optional<MediaFormat> format;  // asked for by ?format= or Accept; nothing: the endpoint's own
  bool vendored = false;              // echo the vendored type
  int compatible_with = 0;            // of Accept, else of Content-Type

  // Content-Type of an answer in `format`.
  std::string ResponseType(MediaFormat format) const;
};

// `accept` with a comma or "*/*" counts as absent, as in Elasticsearch. `format_parameter` beats it. InvalidArgument
// (media_type_header_exception) for versions other than 7, 8 and 9.
Result<Negotiated> Negotiate(std::optional<std::string_view> content_type, std::optional<std::string_view> accept,
                             std::optional<std::string_view> format_parameter);

}  // namespace tiercel::server
