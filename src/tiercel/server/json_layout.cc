#include "tiercel/server/json_layout.h"

#include <algorithm>
#include <string_view>

#include "tiercel/json/writer.h"

namespace tiercel::server {
namespace {

class Pretty {
 public:
  void Write(json::Value value, size_t depth) {
    if (value.is_object()) {
      WriteObject(value, depth);
    } else if (value.is_array()) {
      WriteArray(value, depth);
    } else {
      out += value.raw();
    }
  }

  std::string out;

 private:
  void NewLine(size_t depth) {
    out += '\n';
    out.append(depth * 2, ' ');
  }
  void WriteObject(json::Value value, size_t depth) {
    if (value.empty()) {
      out += "{ }";
      return;
    }
    out += '{';
    bool first = true;
    for (const auto [key, child] : value.members()) {
      if (!first) out += ',';
      first = false;
      NewLine(depth + 1);
      json::AppendQuoted(key, out);
      out += " : ";
      Write(child, depth + 1);
    }
    NewLine(depth);
    out += '}';
  }
  void WriteArray(json::Value value, size_t depth) {
    if (value.empty()) {
      out += "[ ]";
      return;
    }
    out += '[';
    bool first = true;
    for (const json::Value child : value.elements()) {
      if (!first) out += ',';
      first = false;
      NewLine(depth + 1);
      Write(child, depth + 1);
    }
    NewLine(depth);
    out += ']';
  }
};

bool PlainYamlKey(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

class YamlWriter {
 public:
  // `inline_start`: the cursor stands behind "- " or at the start of a line that the first member may use.
  void Write(json::Value value, size_t depth, bool inline_start) {
    if (value.is_object() && !value.empty()) {
      bool first = inline_start;
      for (const auto [key, child] : value.members()) {
        if (!first) Indent(depth);
        first = false;
        if (PlainYamlKey(key)) {
          out += key;
        } else {
          json::AppendQuoted(key, out);
        }
        out += ':';
        WriteChild(child, depth);
      }
    } else if (value.is_array() && !value.empty()) {
      bool first = inline_start;
      for (const json::Value child : value.elements()) {
        if (!first) Indent(depth);
        first = false;
        out += "- ";
        Write(child, depth + 1, true);
      }
    } else {
      WriteScalar(value);
    }
  }

  std::string out = "---\n";

 private:
  void Indent(size_t depth) { out.append(depth * 2, ' '); }
  void WriteChild(json::Value child, size_t depth) {
    if ((child.is_object() || child.is_array()) && !child.empty()) {
      out += '\n';
      // Elasticsearch does not indent the dashes of a list below its name.
      const size_t next = child.is_array() ? depth : depth + 1;
      Write(child, next, false);
    } else {
      out += ' ';
      WriteScalar(child);
    }
  }
  void WriteScalar(json::Value value) {
    if (value.is_object()) {
      out += "{}";
    } else if (value.is_array()) {
      out += "[]";
    } else {
      out += value.raw();
    }
    out += '\n';
  }
};

void AppendTyped(json::Value value, std::string& out) {
  if (value.is_array()) {
    out += '[';
    bool first = true;
    for (const json::Value child : value.elements()) {
      if (!first) out += ',';
      first = false;
      AppendTyped(child, out);
    }
    out += ']';
    return;
  }
  if (!value.is_object()) {
    out += value.raw();
    return;
  }
  const bool document = value["_index"].exists() && value["_id"].exists() && !value["_type"].exists();
  out += '{';
  bool first = true;
  for (const auto [key, child] : value.members()) {
    if (!first) out += ',';
    first = false;
    json::AppendQuoted(key, out);
    out += ':';
    if (key == "_source") {
      out += child.raw();
    } else {
      AppendTyped(child, out);
    }
    if (document && key == "_index") out += ",\"_type\":\"_doc\"";
  }
  out += '}';
}

}  // namespace

std::string PrettyJson(json::Value root) {
  Pretty pretty;
  pretty.Write(root, 0);
  pretty.out += '\n';
  return std::move(pretty.out);
}

std::string Yaml(json::Value root) {
  YamlWriter yaml;
  yaml.Write(root, 0, false);
  return std::move(yaml.out);
}

std::string WithTypes(json::Value root) {
  std::string out;
  AppendTyped(root, out);
  return out;
}

}  // namespace tiercel::server
