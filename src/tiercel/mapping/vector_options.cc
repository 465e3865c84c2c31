#include <charconv>
#include <optional>

#include "tiercel/json/writer.h"
#include "tiercel/mapping/mapping_data.h"
#include "tiercel/mapping/parameters.h"

namespace tiercel::mapping {
namespace {

constexpr uint32_t kDimsMax = 4096;
constexpr uint32_t kBitDimsMax = kDimsMax * 8;
constexpr uint32_t kBbqByDefaultDims = 384;  // from here on an index without options is bbq_hnsw

Status MapperParsing(std::string message) {
  return InvalidArgument(std::move(message)).WithType("mapper_parsing_exception");
}

std::string& ParameterText(Node& node, std::string_view name) {
  return node.parameters[static_cast<size_t>(FindParameter(FieldType::kDenseVector, name))];
}

// A parameter's JSON text without the quotes of a string.
std::string Bare(std::string_view json) {
  const auto document = json::Document::Parse(json);
  return document.ok() ? document.value().root().ToDisplayString() : std::string(json);
}

std::string Quoted(std::string_view text) {
  std::string out;
  json::AppendQuoted(text, out);
  return out;
}

Result<ElementType> ReadElementType(const Node& node) {
  const std::string text = Bare(node.parameter("element_type"));
  for (const ElementType element : {ElementType::kFloat, ElementType::kByte, ElementType::kBit}) {
    if (ElementTypeName(element) == text) return element;
  }
  return MapperParsing("invalid element_type [" + text + "]; available types are [bit, byte, float]");
}

Result<uint32_t> ReadDims(const Node& node, std::string_view name, ElementType element) {
  const std::string_view json = node.parameter("dims");
  if (json.empty()) return 0u;
  const std::string text = Bare(json);
  int64_t dims = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dims);
  if (json.starts_with('"') || error != std::errc() || end != text.data() + text.size()) {
    return MapperParsing("Property [dims] on field [" + std::string(name) + "] must be an integer but got [" + text +
                         "]");
  }
  const bool bits = element == ElementType::kBit;
  const int64_t low = bits ? 8 : 1, high = bits ? kBitDimsMax : kDimsMax;
  if (dims < low || dims > high) {
    return MapperParsing("The number of dimensions should be in the range [" + std::to_string(low) + ", " +
                         std::to_string(high) + "] but was [" + std::to_string(dims) + "]");
  }
  if (bits && dims % 8 != 0)
    return MapperParsing("The number of dimensions for should be a multiple of 8 but was [" + std::to_string(dims) +
                         "]");
  return static_cast<uint32_t>(dims);
}

Result<Similarity> ReadSimilarity(const Node& node, ElementType element) {
  const std::string_view json = node.parameter("similarity");
  if (json.empty()) return element == ElementType::kBit ? Similarity::kL2Norm : Similarity::kCosine;
  const std::string text = Bare(json);
  for (const Similarity similarity :
       {Similarity::kL2Norm, Similarity::kCosine, Similarity::kDotProduct, Similarity::kMaxInnerProduct}) {
    if (SimilarityName(similarity) != text) continue;
    if (element == ElementType::kBit && similarity != Similarity::kL2Norm) {
      return InvalidArgument("The [l2_norm] similarity is the only supported similarity for bit vectors");
    }
    return similarity;
  }
  return MapperParsing(
      "Unknown value [" + text +
      "] for field [similarity] - accepted values are [l2_norm, cosine, dot_product, max_inner_product]");
}

struct IndexKind {
  std::string_view name;
  bool graph;      // has m and ef_construction
  bool quantised;  // float vectors only
  bool bbq;
  std::string_view confidence;  // default confidence interval; empty: none is shown
};
// In the order in which an index may be changed to a later kind.
constexpr IndexKind kIndexKinds[] = {
    {"flat", false, false, false, ""},        {"int8_flat", false, true, false, ""},
    {"int4_flat", false, true, false, "0.0"}, {"bbq_flat", false, true, true, ""},
    {"hnsw", true, false, false, ""},         {"int8_hnsw", true, true, false, ""},
    {"int4_hnsw", true, true, false, "0.0"},  {"bbq_hnsw", true, true, true, ""},
    {"bbq_disk", false, true, true, ""},
};

const IndexKind* FindIndexKind(std::string_view name) {
  for (const IndexKind& kind : kIndexKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

Result<int64_t> ReadCount(json::Value value, int64_t fallback) {
  if (!value.exists() || value.is_null()) return fallback;
  if (value.type() == json::Type::kInt64) return value.as_int64();
  const std::string text = value.ToDisplayString();
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc() && end == text.data() + text.size()) return out;
  return InvalidArgument("For input string: \"" + text + "\"").WithType("number_format_exception");
}

Status CheckKind(const IndexKind& kind, ElementType element, uint32_t dims) {
  const std::string name(kind.name);
  if (kind.quantised && element != ElementType::kFloat) {
    return InvalidArgument("[element_type] cannot be [" + std::string(ElementTypeName(element)) +
                           "] when using index type [" + name + "]");
  }
  if (kind.name.starts_with("int4") && dims % 2 != 0) {
    return InvalidArgument(name + " only supports even dimensions; provided=" + std::to_string(dims));
  }
  if (kind.bbq && dims != 0 && dims < 64) {
    return InvalidArgument(name + " does not support dimensions fewer than 64; provided=" + std::to_string(dims));
  }
  return {};
}

Status CheckOptionKeys(const IndexKind& kind, json::Value options, std::string_view name) {
  std::string left_over;
  for (const auto [key, value] : options.members()) {
    const bool graph = key == "m" || key == "ef_construction";
    const bool disk = key == "cluster_size" || key == "default_visit_percentage";
    const bool known =
        key == "type" || (graph && kind.graph) || (key == "confidence_interval" && kind.quantised && !kind.bbq) ||
        (key == "rescore_vector" && kind.quantised) || key == "on_disk_rescore" || (disk && kind.name == "bbq_disk");
    if (!known) left_over += " [" + std::string(key) + " : " + value.ToDisplayString() + "]";
  }
  if (left_over.empty()) return {};
  return MapperParsing("Mapping definition for [" + std::string(name) + "] has unsupported parameters: " + left_over);
}

Result<std::string> WriteOptions(const IndexKind& kind, json::Value options) {
  std::string out;
  json::Writer w(out);
  w.BeginObject().Member("type", kind.name);
  if (kind.graph) {
    TIERCEL_TRY_ASSIGN(const int64_t m, ReadCount(options["m"], 16));
    TIERCEL_TRY_ASSIGN(const int64_t ef_construction, ReadCount(options["ef_construction"], 100));
    w.Member("m", m).Member("ef_construction", ef_construction);
  }
  if (kind.name == "bbq_disk") {
    TIERCEL_TRY_ASSIGN(const int64_t cluster_size, ReadCount(options["cluster_size"], 384));
    const json::Value visit = options["default_visit_percentage"];
    w.Member("cluster_size", cluster_size)
        .Member("default_visit_percentage", visit.is_number() ? visit.as_double() : 0.0);
  }
  const json::Value confidence = options["confidence_interval"];
  if (confidence.is_number())
    w.Member("confidence_interval", confidence.as_double());
  else if (!kind.confidence.empty())
    w.Key("confidence_interval").Raw(kind.confidence);
  const json::Value oversample = options["rescore_vector"]["oversample"];
  if (oversample.is_number() || kind.bbq) {
    const double factor = oversample.is_number() ? oversample.as_double() : 3.0;
    if (factor != 0 && (factor < 1 || factor > 10)) {
      return InvalidArgument("oversample must be greater than 1 or exactly 0");
    }
    w.Key("rescore_vector").Object([&] { w.Member("oversample", factor); });
  }
  w.EndObject();
  return out;
}

Result<std::string> ReadIndexOptions(const Node& node, std::string_view name, ElementType element, uint32_t dims) {
  const std::string_view json = node.parameter("index_options");
  if (json.empty()) {
    if (dims == 0 || element != ElementType::kFloat) return std::string();
    return WriteOptions(*FindIndexKind(dims >= kBbqByDefaultDims ? "bbq_hnsw" : "int8_hnsw"), json::Value());
  }
  TIERCEL_TRY_ASSIGN(const json::Document document, json::Document::Parse(json));
  const json::Value options = document.root();
  if (!options.is_object())
    return MapperParsing("[index_options] of field [" + std::string(name) + "] must be an object");
  if (!options["type"].exists()) return MapperParsing("[index_options] requires field [type] to be configured");
  const std::string type = options["type"].ToDisplayString();
  const IndexKind* kind = FindIndexKind(type);
  if (kind == nullptr)
    return MapperParsing("Unknown vector index options type [" + type + "] for field [" + std::string(name) + "]");
  TIERCEL_TRY(CheckOptionKeys(*kind, options, name));
  TIERCEL_TRY_ASSIGN(std::string written, WriteOptions(*kind, options));
  TIERCEL_TRY(CheckKind(*kind, element, dims));
  return written;
}

}  // namespace

Result<VectorOptions> ReadVectorOptions(const Node& node, std::string_view name) {
  VectorOptions out;
  TIERCEL_TRY_ASSIGN(out.element, ReadElementType(node));
  TIERCEL_TRY_ASSIGN(out.dims, ReadDims(node, name, out.element));
  out.indexed = node.parameter("index") == "true";
  if (!out.indexed) {
    for (const std::string_view parameter : {"similarity", "index_options"}) {
      if (node.parameter(parameter).empty()) continue;
      return InvalidArgument("Field [" + std::string(parameter) +
                             "] can only be specified for a field of type [dense_vector] when it is indexed");
    }
    return out;
  }
  TIERCEL_TRY_ASSIGN(out.similarity, ReadSimilarity(node, out.element));
  TIERCEL_TRY_ASSIGN(out.index_options_json, ReadIndexOptions(node, name, out.element, out.dims));
  return out;
}

Status CheckVectorParameters(Node& node, std::string_view name) {
  TIERCEL_TRY_ASSIGN(const VectorOptions options, ReadVectorOptions(node, name));
  // Canonical texts, so that merging compares meanings.
  ParameterText(node, "element_type") = Quoted(ElementTypeName(options.element));
  if (options.dims != 0) ParameterText(node, "dims") = std::to_string(options.dims);
  if (!options.indexed) return {};
  ParameterText(node, "similarity") = Quoted(SimilarityName(options.similarity));
  if (!node.parameter("index_options").empty()) ParameterText(node, "index_options") = options.index_options_json;
  return {};
}

bool MayChangeIndexOptions(std::string_view from_json, std::string_view to_json) {
  const auto from = json::Document::Parse(from_json), to = json::Document::Parse(to_json);
  if (!from.ok() || !to.ok()) return true;
  const IndexKind* before = FindIndexKind(from.value().root()["type"].ToDisplayString());
  const IndexKind* after = FindIndexKind(to.value().root()["type"].ToDisplayString());
  if (before == nullptr || after == nullptr || after < before) return false;
  const json::Value m_before = from.value().root()["m"], m_after = to.value().root()["m"];
  return !(m_before.is_integer() && m_after.is_integer()) || m_after.as_int64() >= m_before.as_int64();
}

std::string ShowIndexOptions(std::string_view json) {
  const auto document = json::Document::Parse(json);
  if (!document.ok()) return "null";
  std::string out = "{";
  const json::Value options = document.value().root();
  for (const auto [key, value] : options.members()) {
    if (key == "rescore_vector") continue;
    out += (out.size() > 1 ? ", " : "") + std::string(key) + "=" + value.ToDisplayString();
  }
  if (options["type"].ToDisplayString() != "hnsw") {
    if (!options["confidence_interval"].exists()) out += ", confidence_interval=null";
    const json::Value oversample = options["rescore_vector"]["oversample"];
    out += ", rescore_vector=" + (oversample.exists() ? oversample.ToDisplayString() : std::string("none"));
  }
  return out + "}";
}

}  // namespace tiercel::mapping
