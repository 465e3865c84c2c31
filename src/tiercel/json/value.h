// json::Document: parsed JSON text, and json::Value, a cheap handle on one value in it.
//
// Parsing is strict RFC 8259: UTF-8 checked, nothing after the value, duplicate keys refused on demand, depth and size
// bounded. Every value knows where it lies in the text, so that errors can say line and column and `_source` can be cut
// out byte for byte.
//
//   TIERCEL_TRY_ASSIGN(json::Document doc, json::Document::Parse(text));
//   for (auto [key, value] : doc.root().members()) ...
//
// Thread safety: a Document is immutable once parsed. Lifetime: a Document owns its nodes and unescaped strings and
// borrows the text, which must outlive it; a Value borrows its Document and survives moving it. Cost: one pass of
// simdjson and one of ours over the text.
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
  uint32_t depth_max = 100;            // deeper nesting is InvalidArgument, type x_content_parse_exception
  bool refuse_duplicate_keys = false;  // ES does in request bodies
};

namespace internal {

// One value of a parsed text. Nodes lie in source order: a container is followed by its descendants.
struct Node {
  Type type = Type::kNull;
  uint32_t offset = 0;  // of the value in the text
  uint32_t length = 0;
  uint32_t skip = 1;  // nodes from this one to its next sibling
  const char* key = nullptr;
  uint32_t key_length = 0;
  uint32_t size = 0;  // children, or bytes of a string
  union {
    bool boolean;
    int64_t int64;
    uint64_t uint64 = 0;
    double real;
    const char* string;
  };
};
struct Tree;
extern const Node kNullNode;

}  // namespace internal

class Document;
class Value;
Status ErrorAfter(Value value, std::string_view reason, const char* cause_type);

class Value {
 public:
  Value() = default;  // a null that belongs to no document

  Type type() const { return node_->type; }
  bool is_null() const { return type() == Type::kNull; }
  bool is_bool() const { return type() == Type::kBool; }
  bool is_string() const { return type() == Type::kString; }
  bool is_number() const {
    const Type t = type();
    return t == Type::kInt64 || t == Type::kUint64 || t == Type::kDouble;
  }
  bool is_integer() const {
    const Type t = type();
    return t == Type::kInt64 || t == Type::kUint64;
  }
  bool is_array() const { return type() == Type::kArray; }
  bool is_object() const { return type() == Type::kObject; }

  // Reading the wrong type is a bug (DCHECK); test first. kUint64 holds only what int64 cannot; as_uint64 also reads a
  // kInt64 that is not negative.
  bool as_bool() const;
  int64_t as_int64() const;
  uint64_t as_uint64() const;
  // Any number, as a double. Integers beyond 64 bits arrive as kDouble; what no double can hold is an infinity.
  double as_double() const;
  // Escapes resolved; a lone surrogate arrives as U+FFFD.
  std::string_view as_string() const;

  // Elements of an array or members of an object; O(1). Zero for scalars.
  uint32_t size() const { return is_array() || is_object() ? node_->size : 0; }
  bool empty() const { return size() == 0; }

  // First member of that name; O(members). A default Value (null, exists() false) when absent or not an object.
  Value operator[](std::string_view key) const;
  bool exists() const { return tree_ != nullptr; }

  // Whether the number is written with a point or an exponent (1.0 is, and a long would not be), or is no integer at
  // all.
  bool has_fraction_syntax() const { return is_number() && raw().find_first_of(".eE") != std::string_view::npos; }

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
  friend Status ErrorAfter(Value value, std::string_view reason, const char* cause_type);
  Value(const internal::Tree* tree, const internal::Node* node) : tree_(tree), node_(node) {}
  const internal::Tree* tree_ = nullptr;
  const internal::Node* node_ = &internal::kNullNode;
};

class Document {
 public:
  // InvalidArgument on bad text, worded as Elasticsearch does: "[line:col] what was wrong", type
  // x_content_parse_exception (x_content_e_o_f_exception when the text just stops) with a json_parse_exception
  // (json_e_o_f_exception) as its cause.
  static Result<Document> Parse(std::string_view text, const ParseOptions& options = {});
  // As Parse, and keeps the text alive itself.
  static Result<Document> ParseOwned(std::string text, const ParseOptions& options = {});

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

  Value root() const;
  std::string_view text() const;

 private:
  explicit Document(std::unique_ptr<internal::Tree> tree);
  std::unique_ptr<internal::Tree> tree_;
};

// The error of whoever finds a value of the wrong kind, worded as a parser would that has just read it: "[line:col]
// reason" with an excerpt of the text; type x_content_parse_exception, its cause of type `cause_type` (a literal).
Status ErrorAfter(Value value, std::string_view reason, const char* cause_type);

// Where a reader that takes one token at a time stood when it met the error of a text that does not parse.
struct ErrorContext {
  uint32_t line, column;            // start of the last complete token, from 1
  bool after_value;                 // the text begins with a whole value; the error lies behind it
  std::string_view trailing_token;  // then what kind of value follows ("START_OBJECT"), empty when none does
};
ErrorContext FindErrorContext(std::string_view text, uint32_t depth_max);

// Forward iterator over children in source order; dereferences to a Value, with key() for members.
class Value::Iterator {
 public:
  Iterator(const internal::Tree* tree, const internal::Node* node, uint32_t left)
      : tree_(tree), node_(node), left_(left) {}
  Value operator*() const { return Value(tree_, node_); }
  std::string_view key() const { return {node_->key, node_->key_length}; }
  Iterator& operator++() {
    node_ += node_->skip;
    --left_;
    return *this;
  }
  bool operator!=(const Iterator& other) const { return left_ != other.left_; }

 private:
  const internal::Tree* tree_;
  const internal::Node* node_;
  uint32_t left_;  // children from here to the end
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
    MemberIterator& operator++() {
      ++at_;
      return *this;
    }
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
