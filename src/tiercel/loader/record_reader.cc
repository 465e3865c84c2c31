#include "tiercel/loader/record_reader.h"

#include <cstring>
#include <utility>

#include "tiercel/json/writer.h"

namespace tiercel::loader {
namespace {

bool IsSpace(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

bool IsJsonNumber(const std::string& text) {
  size_t i = 0;
  const auto digits = [&] {
    const size_t from = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i > from;
  };
  if (i < text.size() && text[i] == '-') ++i;
  const size_t first = i;
  if (!digits() || (text[first] == '0' && i > first + 1)) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (!digits()) return false;
  }
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (!digits()) return false;
  }
  return i == text.size();
}

}  // namespace

std::string CellToJson(const std::string& cell) {
  if (cell == "true" || cell == "false" || IsJsonNumber(cell)) return cell;
  std::string out;
  json::AppendQuoted(cell, out);
  return out;
}

RecordReader::RecordReader(std::unique_ptr<ByteSource> source, InputFormat format, uint64_t record_bytes_max)
    : source_(std::move(source)), format_(format), record_bytes_max_(record_bytes_max), buffer_(256 << 10) {}

Status RecordReader::Bad(const std::string& what) const {
  return InvalidArgument("record " + std::to_string(records_ + 1) + ": " + what);
}

Result<int> RecordReader::Peek() {
  if (begin_ == end_) {
    TIERCEL_TRY_ASSIGN(const size_t got, source_->Read(buffer_));
    begin_ = 0;
    end_ = got;
    if (got == 0) return -1;
  }
  return static_cast<unsigned char>(buffer_[begin_]);
}

Status RecordReader::Detect() {
  TIERCEL_TRY_ASSIGN(int c, Peek());
  if (c == 0xef) {  // a byte order mark
    for (int i = 0; i < 3 && c != -1; ++i) {
      ++begin_;
      TIERCEL_TRY_ASSIGN(c, Peek());
    }
  }
  if (format_ != InputFormat::kAuto) return {};
  while (IsSpace(c)) {
    ++begin_;
    TIERCEL_TRY_ASSIGN(c, Peek());
  }
  format_ = c == '[' ? InputFormat::kArray : c == '{' || c == -1 ? InputFormat::kNdjson : InputFormat::kCsv;
  return {};
}

Result<std::optional<std::string>> RecordReader::Next() {
  if (records_ == 0 && !array_open_ && header_.empty()) TIERCEL_TRY(Detect());
  Result<std::optional<std::string>> record = format_ == InputFormat::kCsv     ? NextRow()
                                              : format_ == InputFormat::kArray ? NextElement()
                                                                               : NextLine();
  if (record.ok() && record->has_value()) ++records_;
  return record;
}

Result<std::optional<std::string>> RecordReader::NextLine() {
  std::string line;
  while (true) {
    TIERCEL_TRY_ASSIGN(const int c, Peek());
    if (c == -1) break;
    const char* from = buffer_.data() + begin_;
    const char* newline = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    const size_t take = newline ? static_cast<size_t>(newline - from) : end_ - begin_;
    if (line.size() + take > record_bytes_max_)
      return Bad("longer than " + std::to_string(record_bytes_max_) + " bytes");
    line.append(from, take);
    begin_ += take + (newline ? 1 : 0);
    if (!newline) continue;
    if (line.find_first_not_of(" \t\r") != std::string::npos) break;
    line.clear();
  }
  while (!line.empty() && IsSpace(line.back())) line.pop_back();
  if (line.empty()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(line));
}

Result<std::optional<std::string>> RecordReader::NextElement() {
  std::string element;
  int depth = 0;
  bool in_string = false, escaped = false;
  while (true) {
    TIERCEL_TRY_ASSIGN(const int c, Peek());
    if (c == -1) return Bad("the JSON array is cut off");
    const char ch = static_cast<char>(c);
    if (depth == 0 && !in_string && element.empty()) {  // between elements
      ++begin_;
      if (!array_open_) {
        if (IsSpace(c)) continue;
        if (ch != '[') return Bad("expected a JSON array");
        array_open_ = true;
        continue;
      }
      if (IsSpace(c) || ch == ',') continue;
      if (ch == ']') return std::optional<std::string>();
      if (ch != '{') return Bad(std::string("expected an object but found '") + ch + "'");
      element += ch;
      depth = 1;
      continue;
    }
    ++begin_;
    if (ch == '\n' || ch == '\r') {  // a bulk line must stay one line; outside strings white space means nothing
      if (in_string) return Bad("a line break inside a string");
      continue;
    }
    element += ch;
    if (element.size() > record_bytes_max_) return Bad("longer than " + std::to_string(record_bytes_max_) + " bytes");
    if (in_string) {
      if (escaped)
        escaped = false;
      else if (ch == '\\')
        escaped = true;
      else if (ch == '"')
        in_string = false;
    } else if (ch == '"') {
      in_string = true;
    } else if (ch == '{' || ch == '[') {
      ++depth;
    } else if ((ch == '}' || ch == ']') && --depth == 0) {
      return std::optional<std::string>(std::move(element));
    }
  }
}

// Reads one CSV row into cells_; false at the end.
Result<bool> RecordReader::ReadCells() {
  cells_.clear();
  std::string cell;
  bool quoted = false, any = false;
  uint64_t bytes = 0;
  while (true) {
    TIERCEL_TRY_ASSIGN(const int c, Peek());
    if (c == -1) {
      if (quoted) return Bad("a quoted cell is not closed");
      if (!any) return false;
      cells_.push_back(std::move(cell));
      return true;
    }
    ++begin_;
    if (++bytes > record_bytes_max_) return Bad("longer than " + std::to_string(record_bytes_max_) + " bytes");
    const char ch = static_cast<char>(c);
    if (quoted) {
      if (ch != '"') {
        cell += ch;
        continue;
      }
      TIERCEL_TRY_ASSIGN(const int next, Peek());
      if (next == '"') {
        cell += '"';
        ++begin_;
      } else {
        quoted = false;
      }
    } else if (ch == '"' && cell.empty()) {
      quoted = any = true;
    } else if (ch == ',') {
      any = true;
      cells_.push_back(std::exchange(cell, {}));
    } else if (ch == '\n') {
      if (!any && cell.empty()) continue;  // a blank line
      cells_.push_back(std::move(cell));
      return true;
    } else if (ch != '\r') {
      any = true;
      cell += ch;
    }
  }
}

Result<std::optional<std::string>> RecordReader::NextRow() {
  if (header_.empty()) {
    TIERCEL_TRY_ASSIGN(const bool some, ReadCells());
    if (!some) return std::optional<std::string>();
    header_ = cells_;
  }
  TIERCEL_TRY_ASSIGN(const bool some, ReadCells());
  if (!some) return std::optional<std::string>();
  if (cells_.size() > header_.size()) {
    return Bad(std::to_string(cells_.size()) + " cells under " + std::to_string(header_.size()) + " column names");
  }
  std::string record;
  json::Writer writer(record);
  writer.BeginObject();
  for (size_t i = 0; i < cells_.size(); ++i) {
    if (!cells_[i].empty()) writer.Key(header_[i]).Raw(CellToJson(cells_[i]));
  }
  writer.EndObject();
  return std::optional<std::string>(std::move(record));
}

}  // namespace tiercel::loader
