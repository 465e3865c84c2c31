#include "tiercel/segment/segment_fixture.h"

#include <gtest/gtest.h>

#include <cstring>

#include "tiercel/json/value.h"
#include "tiercel/segment/source_vectors.h"

namespace tiercel::segment {
namespace {

using mapping::ElementType;
using mapping::Field;

constexpr std::string_view kMapping = R"({"properties": {
    "count": {"type": "long"},
    "price": {"type": "double"},
    "tag": {"type": "keyword"},
    "stored_only": {"type": "keyword", "index": false},
    "search_only": {"type": "keyword", "doc_values": false},
    "body": {"type": "text"},
    "plain": {"type": "text", "norms": false},
    "embedding": {"type": "dense_vector", "dims": 3},
    "bytes": {"type": "dense_vector", "dims": 5, "element_type": "byte"},
    "bits": {"type": "dense_vector", "dims": 16, "element_type": "bit", "similarity": "l2_norm"}}})";

const char* const kWords[] = {
    "the",   "quick",  "brown", "fox", "jumps", "over", "lazy", "dog", "", "zebra", "\xc3\xa9t\xc3\xa9",
    "foxes", "foxtrot"};

const Field& FieldNamed(const mapping::Mapping& mapping, std::string_view name) {
  const Field* field = mapping.Find(name);
  EXPECT_NE(field, nullptr) << name;
  return *field;
}

std::string RandomWord(Random& random) {
  if (random.OneIn(3)) return "w" + std::to_string(random.Below(500));
  return kWords[random.Below(std::size(kWords))];
}

void AddRandomText(Random& random, ModelDoc& doc, const std::string& field, uint32_t tokens) {
  auto& text = doc.texts[field];
  uint32_t position = 0;
  for (uint32_t i = 0; i < tokens; ++i) {
    position += random.OneIn(20) ? 0 : random.OneIn(30) ? 101 : 1;
    text.emplace_back(RandomWord(random), position);
  }
}

void AddRandomVector(Random& random, ModelDoc& doc, const std::string& field, ElementType element, uint32_t length) {
  Bytes row(length);
  if (element == ElementType::kFloat) {
    for (uint32_t i = 0; i < length; i += 4) {
      const float value = static_cast<float>(random.Unit() * 4 - 2) * (random.OneIn(5) ? 1e-6f : 1.0f);
      std::memcpy(row.data() + i, &value, 4);
    }
  } else {
    for (uint8_t& byte : row) byte = static_cast<uint8_t>(random.Next());
  }
  std::string text;
  if (random.OneIn(4)) {
    text = "\"kept\"";  // no array that printing could restore
  } else if (random.OneIn(5)) {
    text = "[1.00, 2.50]";
  } else {
    const VectorForm form =
        element == ElementType::kFloat ? static_cast<VectorForm>(1 + random.Below(3) + (random.OneIn(2) ? 4 : 0)) : 0;
    EXPECT_TRUE(PrintVector(row, element, form | (random.OneIn(2) ? 8 : 0), text));
  }
  doc.source += ",\"" + field + "\":";
  doc.vector_places[field] = {doc.source.size(), text.size()};
  doc.source += text;
  doc.vectors[field] = std::move(row);
}

}  // namespace

std::shared_ptr<const mapping::Mapping> FixtureMapping() {
  const auto json = json::Document::Parse(kMapping);
  EXPECT_TRUE(json.ok()) << json.error().ToString();
  const auto mapping = mapping::Mapping::Parse(json->root());
  EXPECT_TRUE(mapping.ok()) << mapping.error().ToString();
  return *mapping;
}

ModelDoc RandomDoc(Random& random, uint32_t number) {
  ModelDoc doc;
  doc.id = random.OneIn(10) ? random.Uuid() + std::string(random.Below(80), 'x') : "id-" + std::to_string(number);
  doc.meta = {number * int64_t{2}, 1 + random.OneIn(50), static_cast<int64_t>(1 + random.Below(5))};
  doc.source = "{\"number\":" + std::to_string(number);
  if (random.OneIn(200))
    doc.source += ",\"filler\":\"" + std::string(40'000, static_cast<char>('a' + random.Below(26))) + "\"";
  if (random.OneIn(10)) doc.routing = "r" + std::to_string(random.Below(3));
  if (random.OneIn(20)) doc.ignored = {"a.b", "c"};
  for (uint64_t i = random.OneIn(3) ? random.Below(4) : 1; i > 0; --i)
    doc.numerics["count"].insert(static_cast<int64_t>(random.Below(1000)) * 60'000 - 1000);
  if (!random.OneIn(4)) doc.numerics["price"].insert(static_cast<int64_t>(random.Next()));
  for (uint64_t i = random.Below(4); i > 0; --i) doc.keywords["tag"].insert(RandomWord(random));
  if (random.OneIn(2)) doc.keywords["stored_only"].insert("s" + std::to_string(random.Below(100)));
  if (random.OneIn(2)) doc.keywords["search_only"].insert("u" + std::to_string(number));
  if (!random.OneIn(8))
    AddRandomText(random, doc, "body", random.OneIn(15) ? 0 : static_cast<uint32_t>(random.Below(40)));
  if (random.OneIn(2)) AddRandomText(random, doc, "plain", 3);
  if (!random.OneIn(3)) AddRandomVector(random, doc, "embedding", ElementType::kFloat, 12);
  AddRandomVector(random, doc, "bytes", ElementType::kByte, 5);
  if (random.OneIn(9)) AddRandomVector(random, doc, "bits", ElementType::kBit, 2);
  doc.source += "}";
  return doc;
}

mapping::ParsedDocument Parse(const ModelDoc& doc, const std::shared_ptr<const mapping::Mapping>& mapping) {
  mapping::ParsedDocument parsed;
  parsed.id = doc.id;
  parsed.source = doc.source;
  parsed.routing = doc.routing;
  parsed.mapping = mapping;
  parsed.ignored.assign(doc.ignored.begin(), doc.ignored.end());
  for (const auto& [name, values] : doc.numerics) {
    // Descending, to see that columns sort.
    for (auto it = values.rbegin(); it != values.rend(); ++it)
      parsed.numerics.push_back({FieldNamed(*mapping, name).id, *it});
  }
  const auto add_term = [&](const std::string& term) {
    const auto offset = static_cast<uint32_t>(parsed.term_bytes.size());
    parsed.term_bytes += term;
    return offset;
  };
  for (const auto& [name, values] : doc.keywords) {
    for (int twice = 0; twice < 2; ++twice) {
      for (const std::string& value : values) {
        parsed.keywords.push_back(
            {FieldNamed(*mapping, name).id, add_term(value), static_cast<uint32_t>(value.size())});
      }
    }
  }
  for (const auto& [name, tokens] : doc.texts) {
    parsed.texts.push_back({FieldNamed(*mapping, name).id, static_cast<uint32_t>(parsed.tokens.size()),
                            static_cast<uint32_t>(tokens.size())});
    for (const auto& [term, position] : tokens)
      parsed.tokens.push_back({add_term(term), static_cast<uint32_t>(term.size()), position});
  }
  for (const auto& [name, row] : doc.vectors) {
    const auto place = doc.vector_places.contains(name) ? doc.vector_places.at(name) : std::pair<uint64_t, uint64_t>();
    parsed.vectors.push_back({FieldNamed(*mapping, name).id, static_cast<uint32_t>(parsed.vector_bytes.size()),
                              static_cast<uint32_t>(row.size()), place.first, place.second});
    parsed.vector_bytes.insert(parsed.vector_bytes.end(), row.begin(), row.end());
  }
  return parsed;
}

Bytes BuildBytes(const std::vector<ModelDoc>& docs, std::string name) {
  const auto mapping = FixtureMapping();
  SegmentBuilder builder;
  for (const ModelDoc& doc : docs) {
    const auto added = builder.Add(Parse(doc, mapping), doc.meta);
    EXPECT_TRUE(added.ok()) << added.error().ToString();
    EXPECT_EQ(builder.Source(*added), doc.source);
  }
  MemoryUpload upload;
  const Status finished = builder.Finish(name, upload);
  EXPECT_TRUE(finished.ok()) << finished.ToString();
  const auto input = std::move(upload).IntoInput(std::move(name));
  const auto all = input->Borrow(0, input->size());
  return Bytes(all->bytes().begin(), all->bytes().end());
}

std::shared_ptr<const cache::Input> InputOver(ByteSpan bytes, std::string name) {
  MemoryUpload upload;
  EXPECT_TRUE(upload.Append(bytes).ok());
  return std::move(upload).IntoInput(std::move(name));
}

std::shared_ptr<const Segment> Build(const std::vector<ModelDoc>& docs, std::string name) {
  const auto segment = Segment::Open(InputOver(BuildBytes(docs, name), name));
  EXPECT_TRUE(segment.ok()) << segment.error().ToString();
  return segment.ok() ? *segment : nullptr;
}

}  // namespace tiercel::segment
