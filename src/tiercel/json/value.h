// json::Document: parsed JSON text, and json::Value, a cheap handle on one value in it.
//
// Parsing is strict RFC 8259: UTF-8 checked, nothing after the value, duplicate keys refused on demand, depth and size
// bounded. Every value knows where it lies in the text, so that errors can say line and column and `_source` can be cut out
// byte for byte.
//
//   TIERCEL_TRY_ASSIGN(json::Document doc, json::Document::Parse(text));
//   for (auto [key, value] : doc.root().members()) ...
//
// Thread safety: a Document is immutable once parsed. Lifetime: a Document owns its nodes and unescaped strings and borrows
// the text, which must outlive it; a Value borrows its Document. Cost: one pass of simdjson and one of ours over the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tiercel/base/result.h"

namespace tiercel::json {

enum class Type : uint8_t { kNull, kBool, kInt64, kUint64, kDouble, kString, kArray, kObject };

// "START_OBJECT", "VALUE_STRING", ...: the token names that Elasticsearch's messages use.
std::string_view TokenName(Type type);

struct ParseOptions {
  uint32_t depth_max = 100;           // deeper nesting is InvalidArgument, type x_content_parse_exception
  bool refuse_duplicate_keys = false;  // ES does in request bodies
};

class Document;

class Value {
 public:
  Value() = default;  // a null that belongs to no document

  Type type() const;
  bool is_null() const { return type() == Type::kNull; }
  bool is_bool() const { return type() == Type::kBool; }
  bool is_string() const { return type() == Type::kString; }
  bool is_number() const { const Type t = type(); return t == Type::kInt64 || t == Type::kUint64 || t == Type::kDouble; }
  bool is_integer() const { const Type t = type(); return t == Type::kInt64 || t == Type::kUint64; }
  bool is_array() const { return type() == Type::kArray; }
  bool is_object() const { return type() == Type::kObject; }

  // Reading the wrong type is a bug (DCHECK); test first. kUint64 holds only what int64 cannot.
  bool as_bool() const;
  int64_t as_int64() const;
  uint64_t as_uint64() const;
  // Any number, as a double. Integers beyond 64 bits arrive as kDouble.
  double as_double() const;
  std::string_view as_string() const;

  // Elements of an array or members of an object; O(1). Zero for scalars.
  uint32_t size() const;
  bool empty() const { return size() == 0; }

  // First member of that name; O(members). A default Value (null, exists() false) when absent or not an object.
  Value operator[](std::string_view key) const;
  bool exists() const { return document_ != nullptr; }

  // The text of this value as it stands in the source, and where.
  std::string_view raw() const;
  uint64_t offset() const;
  // 1-based position for error messages; O(offset).
  std::pair<uint32_t, uint32_t> line_column() const;

  // The value as ES prints it in messages: strings bare, numbers and the rest as JSON.
  std::string ToDisplayString() const;

  class Iterator;
  class Elements;
  class Members;
  Elements elements() const;
  Members members() const;

 private:
  friend class Document;
  friend class Iterator;
  Value(const Document* document, uint32_t node) : document_(document), node_(node) {}
  const Document* document_ = nullptr;
  uint32_t node_ = 0;
};

class Document {
 public:
  // InvalidArgument with type "x_content_parse_exception" and attributes line, col on bad text.
  static Result<Document> Parse(std::string_view text, const ParseOptions& options = {});
  // As Parse, and keeps the text alive itself.
  static Result<Document> ParseOwned(std::string text, const ParseOptions& options = {});

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  Value root() const;
  std::string_view text() const;

 private:
  friend class Value;
  friend class Value::Iterator;
  struct State;
  explicit Document(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Forward iterator over children in source order; dereferences to a Value, with key() for members.
class Value::Iterator {
 public:
  Iterator(const Document* document, uint32_t node, uint32_t left) : document_(document), node_(node), left_(left) {}
  Value operator*() const { return Value(document_, node_); }
  std::string_view key() const;
  Iterator& operator++();
  bool operator!=(const Iterator& other) const { return left_ != other.left_; }

 private:
  const Document* document_;
  uint32_t node_;
  uint32_t left_;
};

class Value::Elements {
 public:
  Elements(Iterator first, Iterator last) : first_(first), last_(last) {}
  Iterator begin() const { return first_; }
  Iterator end() const { return last_; }

 private:
  Iterator first_, last_;
};

class Value::Members {
 public:
  class MemberIterator {
   public:
    explicit MemberIterator(Iterator at) : at_(at) {}
    std::pair<std::string_view, Value> operator*() const { return {at_.key(), *at_}; }
    MemberIterator& operator++() { ++at_; return *this; }
    bool operator!=(const MemberIterator& other) const { return at_ != other.at_; }

   private:
    Iterator at_;
  };
  Members(Iterator first, Iterator last) : first_(first), last_(last) {}
  MemberIterator begin() const { return MemberIterator(first_); }
  MemberIterator end() const { return MemberIterator(last_); }

 private:
  Iterator first_, last_;
};

}  // namespace tiercel::json
