// The string forms of a query vector: hex and base64. Thread safety: pure functions. Nothing when the text is not of
// that form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tiercel::search {

std::optional<std::string> DecodeHex(std::string_view text);
std::optional<std::string> DecodeBase64(std::string_view text);  // padded, the standard alphabet

}  // namespace tiercel::search
