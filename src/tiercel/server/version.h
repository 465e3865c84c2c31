// What we say we are. Clients choose their behaviour by these, so they name the Elasticsearch version whose API we
// speak.
#pragma once

#include <string_view>

namespace tiercel::server {

inline constexpr std::string_view kReportedVersion = "8.19.0";
inline constexpr std::string_view kBuildHash = "tiercel-" TIERCEL_VERSION;
inline constexpr std::string_view kBuildDate = "2026-11-30T00:00:00.000Z";
inline constexpr std::string_view kLuceneVersion = "9.12.2";
inline constexpr std::string_view kTagline = "You Know, for Search";
inline constexpr std::string_view kMinimumWireVersion = "7.17.0";
inline constexpr std::string_view kMinimumIndexVersion = "7.0.0";

}  // namespace tiercel::server
