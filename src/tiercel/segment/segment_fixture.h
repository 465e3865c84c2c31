// For the tests and benchmarks of segments: documents as plain values (ModelDoc), random ones, their way into a
// builder, and the comparison of a whole segment with the documents it must hold.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tiercel/base/random.h"
#include "tiercel/mapping/document.h"
#include "tiercel/mapping/mapping.h"
#include "tiercel/segment/builder.h"
#include "tiercel/segment/source.h"

namespace tiercel::segment {

struct ModelDoc {
  std::string id;
  std::string source;
  std::string routing;
  std::set<std::string> ignored;
  DocMeta meta;
  std::map<std::string, std::multiset<int64_t>> numerics;
  std::map<std::string, std::set<std::string>> keywords;
  std::map<std::string, std::vector<std::pair<std::string, uint32_t>>> texts;  // term, position
  std::map<std::string, Bytes> vectors;
  std::map<std::string, std::pair<uint64_t, uint64_t>> vector_places;  // offset and length in the source
};

// Fields: numeric "count" (long), "price" (double); keyword "tag", "stored_only" (not indexed), "search_only" (no
// doc_values); text "body", "plain" (no norms); vectors "embedding" (3 floats), "bytes" (5 int8), "bits" (16 bits).
std::shared_ptr<const mapping::Mapping> FixtureMapping();
ModelDoc RandomDoc(Random& random, uint32_t number);
mapping::ParsedDocument Parse(const ModelDoc& doc, const std::shared_ptr<const mapping::Mapping>& mapping);

// Builds a segment from documents through memory.
std::shared_ptr<const Segment> Build(const std::vector<ModelDoc>& docs, std::string name = "seg");
// The image itself.
Bytes BuildBytes(const std::vector<ModelDoc>& docs, std::string name = "seg");
std::shared_ptr<const cache::Input> InputOver(ByteSpan bytes, std::string name = "seg");

// Everything in `segment` against the documents; failures are GoogleTest's.
void ExpectHolds(const Segment& segment, const std::vector<ModelDoc>& docs);

}  // namespace tiercel::segment
