#include "tiercel/mapping/mapping.h"

#include <algorithm>

#include "tiercel/base/check.h"
#include "tiercel/mapping/mapping_data.h"
#include "tiercel/mapping/parameters.h"

namespace tiercel::mapping {
namespace {

// "Failed to parse mapping: ..." around what was wrong, as the REST answer shows it.
Status WrapParseError(Status cause) {
  std::string message = "Failed to parse mapping: " + cause.message();
  return InvalidArgument(std::move(message)).WithType("mapper_parsing_exception").WithCause(std::move(cause));
}

// Walks the tree, filling the index.
class TreeIndexer {
 public:
  TreeIndexer(Mapping::Data& data, const MappingLimits& limits) : data_(data), limits_(limits) {}

  Status Run() {
    FieldId next = 0;
    for (auto& [name, child] : data_.root.children) FindNextId(child, next);
    next_ = next;
    for (auto& [name, child] : data_.root.children) TIERCEL_TRY(Visit(child, name, 1, false));
    if (data_.fields.size() > limits_.total_fields_max) {
      return InvalidArgument("Limit of total fields [" + std::to_string(limits_.total_fields_max) +
                             "] has been exceeded");
    }
    return ResolveReferences(data_.root);
  }

 private:
  void FindNextId(const Node& node, FieldId& next) const {
    if (node.id != kNoField) next = std::max(next, node.id + 1);
    for (const auto& [name, child] : node.children) FindNextId(child, next);
  }

  Status Visit(Node& node, const std::string& path, uint32_t depth, bool inside_nested) {
    if (node.is_object() && depth > limits_.depth_max) {
      return InvalidArgument("Limit of mapping depth [" + std::to_string(limits_.depth_max) +
                             "] has been exceeded due to object field [" + path + "]");
    }
    if (node.id == kNoField) node.id = next_++;
    if (data_.fields.size() <= node.id) {
      data_.fields.resize(node.id + 1);
      data_.nodes.resize(node.id + 1);
    }
    Field& field = data_.fields[node.id];
    field.id = node.id;
    field.name = path;
    field.type = node.type;
    field.inside_nested = inside_nested;
    data_.nodes[node.id] = &node;
    data_.by_name.insert_or_assign(path, node.id);
    if (!node.is_object()) TIERCEL_TRY(FillField(node, field));
    const bool nested = inside_nested || node.type == FieldType::kNested;
    for (auto& [name, child] : node.children) {
      TIERCEL_TRY(Visit(child, path + "." + name, depth + 1, nested));
      if (!node.is_object()) data_.fields[child.id].multi_field = true;
    }
    return {};
  }

  static bool Flag(const Node& node, std::string_view name, bool fallback) {
    const std::string_view text = node.parameter(name);
    return text.empty() ? fallback : text == "true";
  }
  static std::string Text(const Node& node, std::string_view name) {
    const std::string_view json = node.parameter(name);
    const auto document = json::Document::Parse(json);
    return json.empty() || !document.ok() ? std::string() : document.value().root().ToDisplayString();
  }

  Status FillField(Node& node, Field& field) {
    field.index = Flag(node, "index", true);
    field.doc_values = Flag(node, "doc_values", node.type != FieldType::kText);
    field.norms = Flag(node, "norms", false);
    field.coerce = Flag(node, "coerce", true);
    field.ignore_malformed = Flag(node, "ignore_malformed", false);
    if (const std::string_view value = node.parameter("null_value"); !value.empty()) field.null_value_json = value;
    switch (node.type) {
      case FieldType::kText:
        FillText(node, field);
        break;
      case FieldType::kKeyword:
        node.lower_case = !node.parameter("normalizer").empty();
        if (const std::string text = Text(node, "ignore_above"); text != "2147483647") {
          field.ignore_above = static_cast<uint32_t>(std::stoul(text));
        }
        break;
      case FieldType::kDate: {
        const std::string format = Text(node, "format");
        if (format == kDefaultDateFormat) break;
        field.format = format;
        TIERCEL_TRY_ASSIGN(DateFormat compiled, DateFormat::Compile(format));
        node.date_format = std::make_shared<const DateFormat>(std::move(compiled));
        break;
      }
      case FieldType::kScaledFloat:
        field.scaling_factor = std::stod(std::string(node.parameter("scaling_factor")));
        break;
      case FieldType::kDenseVector: {
        TIERCEL_TRY_ASSIGN(field.vector, ReadVectorOptions(node, field.name));
        field.index = field.vector.indexed;
        break;
      }
      default:
        break;
    }
    return {};
  }

  static void FillText(Node& node, Field& field) {
    std::string analyzer = Text(node, "analyzer");
    if (analyzer == "default") analyzer = "standard";
    node.analyzer = analysis::FindAnalyzer(analyzer);
    if (analyzer != "standard") field.analyzer = analyzer;
    const std::string search = Text(node, "search_analyzer");
    if (search != "default")
      field.search_analyzer = search;
    else
      field.search_analyzer = field.analyzer;
    const std::string gap = Text(node, "position_increment_gap");
    node.position_gap = gap == "-1" ? 100 : static_cast<uint32_t>(std::stoul(gap));
  }

  // Sub-fields and copy_to targets need the ids of others.
  Status ResolveReferences(const Node& node) {
    if (node.id != kNoField && !node.is_object()) {
      Field& field = data_.fields[node.id];
      for (const auto& [name, child] : node.children) field.multi_fields.push_back(child.id);
      for (const std::string& target : node.copy_to) {
        const auto found = data_.by_name.find(target);
        if (found == data_.by_name.end()) continue;
        if (!data_.fields[found->second].is_leaf()) {
          return InvalidArgument("Cannot copy to field [" + target + "] since it is mapped as an object");
        }
        field.copy_to.push_back(found->second);
      }
    }
    for (const auto& [name, child] : node.children) TIERCEL_TRY(ResolveReferences(child));
    return {};
  }

  Mapping::Data& data_;
  const MappingLimits& limits_;
  FieldId next_ = 0;
};

}  // namespace

std::string_view Node::parameter(std::string_view name) const {
  const int index = FindParameter(type, name);
  if (index < 0) return {};
  const std::string& text = parameters[static_cast<size_t>(index)];
  return text.empty() ? ParametersOf(type)[static_cast<size_t>(index)].fallback : std::string_view(text);
}

Status IndexTree(Mapping::Data& data, const MappingLimits& limits) {
  data.fields.clear();
  data.nodes.clear();
  data.by_name.clear();
  return TreeIndexer(data, limits).Run();
}

bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Mapping::Mapping(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Mapping::~Mapping() = default;

std::shared_ptr<const Mapping> Mapping::Empty() { return std::make_shared<const Mapping>(std::make_unique<Data>()); }

Result<std::shared_ptr<const Mapping>> Mapping::Parse(json::Value mappings, const MappingLimits& limits) {
  return MergeInto(Data(), mappings, limits, true);
}

Result<std::shared_ptr<const Mapping>> Mapping::Merge(json::Value update, const MappingLimits& limits) const {
  return MergeInto(*data_, update, limits, false);
}

Result<std::shared_ptr<const Mapping>> Mapping::MergeInto(const Data& base, json::Value update,
                                                          const MappingLimits& limits, bool creating) {
  auto data = std::make_unique<Data>();
  Node update_root;
  RootOptions update_options;
  if (Status read = ReadMappings(update, limits, update_root, update_options); !read.ok())
    return WrapParseError(std::move(read));
  for (const std::string_view reserved :
       {"_id", "_index", "_source", "_routing", "_seq_no", "_version", "_ignored", "_field_names"}) {
    if (!update_root.children.contains(reserved)) continue;
    return InvalidArgument("Field [" + std::string(reserved) + "] is defined more than once")
        .WithType("mapper_parsing_exception");
  }
  data->root = base.root;
  data->options = base.options;
  if (!creating) TIERCEL_TRY(CheckOptionsUpdate(base.options, update_options));
  TIERCEL_TRY(MergeNode(data->root, update_root, ""));
  TIERCEL_TRY(MergeOptions(data->options, update_options));
  TIERCEL_TRY(IndexTree(*data, limits));
  return std::make_shared<const Mapping>(std::move(data));
}

const Field* Mapping::Find(std::string_view path) const {
  const auto found = data_->by_name.find(path);
  return found == data_->by_name.end() ? nullptr : &data_->fields[found->second];
}

const Field& Mapping::field(FieldId id) const {
  TIERCEL_CHECK(id < data_->fields.size(), "no such field id");
  return data_->fields[id];
}

uint32_t Mapping::size() const { return static_cast<uint32_t>(data_->fields.size()); }

std::vector<const Field*> Mapping::Expand(std::string_view pattern) const {
  std::vector<const Field*> out;
  if (pattern.find('*') == std::string_view::npos) {
    const Field* field = Find(pattern);
    if (field != nullptr && field->is_leaf()) out.push_back(field);
    return out;
  }
  for (const Field& field : data_->fields) {
    if (field.is_leaf() && MatchesPattern(pattern, field.name)) out.push_back(&field);
  }
  std::sort(out.begin(), out.end(), [](const Field* a, const Field* b) { return a->name < b->name; });
  return out;
}

}  // namespace tiercel::mapping
