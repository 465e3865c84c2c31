#include "tiercel/json/value.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

#include "tiercel/base/check.h"
#include "tiercel/json/diagnosis.h"
#include "tiercel/json/number.h"
#include "tiercel/json/writer.h"

namespace tiercel::json {
namespace {

// Keys of bigger objects are checked for duplicates through a hash set instead of pair by pair.
constexpr uint32_t kPairwiseKeysMax = 16;
// A thread keeps its structural index for the next text unless the text was bigger than this.
constexpr size_t kKeptCapacity = 4 << 20;

}  // namespace

namespace internal {

const Node kNullNode{};

struct Tree {
  std::string_view text;
  std::string owned;
  std::vector<Node> nodes;
  // Strings with escapes, unescaped, one after another; never more bytes than the text has.
  std::unique_ptr<char[]> unescaped;
  size_t unescaped_size = 0;
};

}  // namespace internal

namespace {

using internal::Node;
using internal::Tree;

// simdjson's first stage: checks UTF-8 and control characters, and finds where every token starts.
class StructuralIndex {
 public:
  bool Find(std::string_view text) {
    if (parser_ == nullptr) {
      const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(0, 1, parser_);
      TIERCEL_CHECK(error == simdjson::SUCCESS, "out of memory");
    }
    if (parser_->capacity() < text.size() || parser_->capacity() == 0) {
      const size_t capacity = std::max<size_t>(text.size() + text.size() / 2, 4096);
      TIERCEL_CHECK(
          parser_->set_capacity(std::min<size_t>(capacity, simdjson::SIMDJSON_MAXSIZE_BYTES)) == simdjson::SUCCESS,
          "out of memory");
    }
    return parser_->stage1(reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                           simdjson::stage1_mode::regular) == simdjson::SUCCESS;
  }
  const uint32_t* offsets() const { return parser_->structural_indexes.get(); }
  uint32_t count() const { return parser_->n_structural_indexes; }
  void Shrink() {
    if (parser_ != nullptr && parser_->capacity() > kKeptCapacity) parser_.reset();
  }

 private:
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser_;
};

// The second stage: walks the token starts and lays down nodes in source order.
class TreeBuilder {
 public:
  TreeBuilder(Tree& tree, const StructuralIndex& index, const ParseOptions& options)
      : tree_(tree), text_(tree.text), at_(index.offsets()), end_(index.offsets() + index.count()), options_(options) {}

  // False when the text is not JSON.
  bool Build() {
    tree_.nodes.reserve(static_cast<size_t>(end_ - at_) / 2 + 2);
    for (;;) {
      if (!ReadValue()) return false;
      if (just_opened_) continue;
      bool more = false;
      while (!more) {
        if (open_.empty()) return at_ == end_;
        if (!AfterChild(more)) return false;
      }
    }
  }

 private:
  // The character of the next token, '\0' (which starts none) at the end.
  char Peek() const { return at_ < end_ ? text_[*at_] : '\0'; }

  // Reads a scalar or opens a container. `just_opened_` says that a child has to be read next.
  bool ReadValue() {
    just_opened_ = false;
    const char c = Peek();
    switch (c) {
      case '{':
        return Open(Type::kObject, '}');
      case '[':
        return Open(Type::kArray, ']');
      case '"':
        return ReadString();
      case 't':
        return ReadWord("true", Type::kBool, true);
      case 'f':
        return ReadWord("false", Type::kBool, false);
      case 'n':
        return ReadWord("null", Type::kNull, false);
      default:
        return ReadNumberNode();
    }
  }

  Node& Add(Type type, uint32_t length) {
    Node& node = tree_.nodes.emplace_back();
    node.type = type;
    node.offset = *at_;
    node.length = length;
    node.key = key_.data();
    node.key_length = static_cast<uint32_t>(key_.size());
    if (!open_.empty()) ++tree_.nodes[open_.back()].size;
    ++at_;
    return node;
  }

  bool Open(Type type, char close) {
    if (open_.size() >= options_.depth_max) return false;
    Add(type, 1);
    open_.push_back(static_cast<uint32_t>(tree_.nodes.size() - 1));
    key_ = {};
    if (Peek() == close) return Close();
    just_opened_ = true;
    return type == Type::kArray || ReadKey();
  }

  bool Close() {
    Node& node = tree_.nodes[open_.back()];
    node.length = *at_ + 1 - node.offset;
    node.skip = static_cast<uint32_t>(tree_.nodes.size()) - open_.back();
    ++at_;
    const uint32_t closed = open_.back();
    open_.pop_back();
    return node.type != Type::kObject || !options_.refuse_duplicate_keys || KeysDiffer(closed);
  }

  // Behind a child: a comma (then `more`), or the end of its container.
  bool AfterChild(bool& more) {
    const bool object = tree_.nodes[open_.back()].type == Type::kObject;
    const char c = Peek();
    if (c == ',') {
      ++at_;
      more = true;
      key_ = {};
      return !object || ReadKey();
    }
    return c == (object ? '}' : ']') && Close();
  }

  bool ReadKey() {
    if (Peek() != '"') return false;
    if (!ReadText(key_)) return false;
    if (Peek() != ':') return false;
    ++at_;
    return true;
  }

  bool ReadString() {
    const uint32_t start = *at_;
    std::string_view value;
    const uint32_t* token = at_;
    if (!ReadText(value)) return false;
    at_ = token;
    Node& node = Add(Type::kString, string_end_ - start);
    node.string = value.data();
    node.size = static_cast<uint32_t>(value.size());
    return true;
  }

  // The string token at at_: moves past it, leaves where it ends in string_end_.
  bool ReadText(std::string_view& out) {
    const uint32_t start = *at_;
    ++at_;
    // Only white space lies between a string and the next token, so the closing quote is the last one before it.
    uint32_t end = at_ < end_ ? *at_ : static_cast<uint32_t>(text_.size());
    while (end > start + 1 && text_[end - 1] != '"') --end;
    if (end <= start + 1) return false;
    string_end_ = end;
    out = text_.substr(start + 1, end - start - 2);
    const void* escape = std::memchr(out.data(), '\\', out.size());
    return escape == nullptr || Unescape(static_cast<size_t>(static_cast<const char*>(escape) - out.data()), out);
  }

  bool Unescape(size_t plain, std::string_view& text);
  static char SimpleEscape(char c);
  bool ReadHex(std::string_view text, size_t at, uint32_t& out) const;
  void AppendUtf8(uint32_t code, char*& to) const;

  bool ReadWord(std::string_view word, Type type, bool value) {
    if (text_.substr(*at_, word.size()) != word || !EndsToken(*at_ + word.size())) return false;
    Add(type, static_cast<uint32_t>(word.size())).boolean = value;
    return true;
  }

  bool ReadNumberNode() {
    if (at_ == end_) return false;
    const Number number = ReadNumber(text_.substr(*at_));
    if (number.type == Type::kNull || !EndsToken(*at_ + number.length)) return false;
    Node& node = Add(number.type, number.length);
    node.uint64 = number.uint64;
    return true;
  }

  // A scalar ends where white space, punctuation or the text's end follows.
  bool EndsToken(size_t at) const {
    return at >= text_.size() || std::memchr(" \t\r\n,:]}[{\"", text_[at], 11) != nullptr;
  }

  bool KeysDiffer(uint32_t object) const {
    const Node& node = tree_.nodes[object];
    const auto key = [this](uint32_t child) {
      return std::string_view(tree_.nodes[child].key, tree_.nodes[child].key_length);
    };
    if (node.size > kPairwiseKeysMax) {
      std::unordered_set<std::string_view> seen;
      for (uint32_t i = 0, child = object + 1; i < node.size; ++i, child += tree_.nodes[child].skip) {
        if (!seen.insert(key(child)).second) return false;
      }
      return true;
    }
    std::string_view keys[kPairwiseKeysMax];
    for (uint32_t i = 0, child = object + 1; i < node.size; ++i, child += tree_.nodes[child].skip) {
      keys[i] = key(child);
      if (std::find(keys, keys + i, keys[i]) != keys + i) return false;
    }
    return true;
  }

  Tree& tree_;
  std::string_view text_;
  const uint32_t* at_;
  const uint32_t* end_;
  ParseOptions options_;
  std::vector<uint32_t> open_;  // containers around at_
  std::string_view key_;        // of the value to be read
  uint32_t string_end_ = 0;
  bool just_opened_ = false;
};

char TreeBuilder::SimpleEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

bool TreeBuilder::ReadHex(std::string_view text, size_t at, uint32_t& out) const {
  if (at + 4 > text.size()) return false;
  out = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = text[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    out = out * 16 + static_cast<uint32_t>(digit);
  }
  return true;
}

void TreeBuilder::AppendUtf8(uint32_t code, char*& to) const {
  const auto put = [&to](uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

// Copies `text`, whose first `plain` bytes hold no escape, with its escapes resolved. A surrogate without its other
// half becomes U+FFFD, as it does when Elasticsearch encodes terms.
bool TreeBuilder::Unescape(size_t plain, std::string_view& text) {
  if (tree_.unescaped == nullptr) tree_.unescaped = std::make_unique_for_overwrite<char[]>(text_.size());
  char* const begin = tree_.unescaped.get() + tree_.unescaped_size;
  char* to = begin;
  std::memcpy(to, text.data(), plain);
  to += plain;
  for (size_t at = plain; at < text.size();) {
    if (text[at] != '\\') {
      *to++ = text[at++];
      continue;
    }
    if (at + 1 >= text.size()) return false;
    if (text[at + 1] != 'u') {
      const char c = SimpleEscape(text[at + 1]);
      if (c == 0) return false;
      *to++ = c;
      at += 2;
      continue;
    }
    uint32_t code = 0, low = 0;
    if (!ReadHex(text, at + 2, code)) return false;
    at += 6;
    if (code >= 0xd800 && code < 0xdc00 && text.substr(at, 2) == "\\u" && ReadHex(text, at + 2, low) && low >= 0xdc00 &&
        low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      at += 6;
    } else if (code >= 0xd800 && code < 0xe000) {
      code = 0xfffd;
    }
    AppendUtf8(code, to);
  }
  text = {begin, static_cast<size_t>(to - begin)};
  tree_.unescaped_size += text.size();
  return true;
}

Status ParseInto(Tree& tree, const ParseOptions& options) {
  if (tree.text.size() >= simdjson::SIMDJSON_MAXSIZE_BYTES) {
    return InvalidArgument("a JSON text of " + std::to_string(tree.text.size()) + " bytes is too long")
        .WithType("x_content_parse_exception");
  }
  // Scratch memory only: what it holds never outlives this call.
  thread_local StructuralIndex index;
  const bool good = index.Find(tree.text) && TreeBuilder(tree, index, options).Build();
  index.Shrink();
  return good ? Status() : Diagnose(tree.text, options);
}

}  // namespace

std::string_view TokenName(Type type) {
  switch (type) {
    case Type::kNull:
      return "VALUE_NULL";
    case Type::kBool:
      return "VALUE_BOOLEAN";
    case Type::kInt64:
    case Type::kUint64:
    case Type::kDouble:
      return "VALUE_NUMBER";
    case Type::kString:
      return "VALUE_STRING";
    case Type::kArray:
      return "START_ARRAY";
    case Type::kObject:
      return "START_OBJECT";
  }
  return "";
}

Document::Document(std::unique_ptr<Tree> tree) : tree_(std::move(tree)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Result<Document> Document::Parse(std::string_view text, const ParseOptions& options) {
  auto tree = std::make_unique<Tree>();
  tree->text = text;
  TIERCEL_TRY(ParseInto(*tree, options));
  return Document(std::move(tree));
}

Result<Document> Document::ParseOwned(std::string text, const ParseOptions& options) {
  auto tree = std::make_unique<Tree>();
  tree->owned = std::move(text);
  tree->text = tree->owned;
  TIERCEL_TRY(ParseInto(*tree, options));
  return Document(std::move(tree));
}

Value Document::root() const { return Value(tree_.get(), tree_->nodes.data()); }
std::string_view Document::text() const { return tree_->text; }

bool Value::as_bool() const {
  TIERCEL_DCHECK(is_bool());
  return node_->boolean;
}

int64_t Value::as_int64() const {
  TIERCEL_DCHECK(type() == Type::kInt64);
  return node_->int64;
}

uint64_t Value::as_uint64() const {
  TIERCEL_DCHECK(type() == Type::kUint64 || (type() == Type::kInt64 && node_->int64 >= 0));
  return node_->uint64;
}

double Value::as_double() const {
  TIERCEL_DCHECK(is_number());
  switch (type()) {
    case Type::kInt64:
      return static_cast<double>(node_->int64);
    case Type::kUint64:
      return static_cast<double>(node_->uint64);
    default:
      return node_->real;
  }
}

std::string_view Value::as_string() const {
  TIERCEL_DCHECK(is_string());
  return {node_->string, node_->size};
}

Value Value::operator[](std::string_view key) const {
  if (!is_object()) return {};
  for (const auto [name, value] : members()) {
    if (name == key) return value;
  }
  return {};
}

std::string_view Value::raw() const {
  return exists() ? tree_->text.substr(node_->offset, node_->length) : std::string_view("null");
}
uint64_t Value::offset() const { return node_->offset; }

std::pair<uint32_t, uint32_t> Value::line_column() const {
  if (!exists()) return {1, 1};
  const std::string_view before = tree_->text.substr(0, node_->offset);
  const size_t newline = before.rfind('\n');
  const size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  return {static_cast<uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<uint32_t>(before.size() - line_start) + 1};
}

Status ErrorAfter(Value value, std::string_view reason, const char* cause_type) {
  if (!value.exists()) return InvalidArgument(std::string(reason)).WithType(cause_type);
  const bool container = value.is_object() || value.is_array();
  return ErrorAt(value.tree_->text, value.offset() + (container ? 1 : value.raw().size()), reason, cause_type);
}

std::string Value::ToDisplayString() const { return std::string(is_string() ? as_string() : raw()); }

Value::Elements Value::elements() const {
  const uint32_t count = is_array() ? node_->size : 0;
  return {Iterator(tree_, node_ + 1, count), Iterator(tree_, nullptr, 0)};
}

Value::Members Value::members() const {
  const uint32_t count = is_object() ? node_->size : 0;
  return {Iterator(tree_, node_ + 1, count), Iterator(tree_, nullptr, 0)};
}

}  // namespace tiercel::json
