#include "tiercel/server/cat_table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "tiercel/base/check.h"
#include "tiercel/engine/index_name.h"
#include "tiercel/json/writer.h"

namespace tiercel::server {
namespace {

struct Unit {
  std::string_view name;
  int64_t size;
};
constexpr std::array<Unit, 6> kByteUnits = {
    {{"b", 1}, {"kb", 1ll << 10}, {"mb", 1ll << 20}, {"gb", 1ll << 30}, {"tb", 1ll << 40}, {"pb", 1ll << 50}}};
constexpr std::array<Unit, 5> kTimeUnits = {
    {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};

// In the largest unit that leaves at least one, with one decimal unless that is zero.
std::string Human(int64_t value, std::span<const Unit> units) {
  size_t at = units.size();
  while (--at > 0 && value < units[at].size) {
  }
  const int64_t tenths = value * 10 / units[at].size;  // cut, not rounded, as Elasticsearch does
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text.append(".").append(std::to_string(tenths % 10));
  return text.append(units[at].name);
}

Result<int64_t> UnitSize(std::string_view name, std::span<const Unit> units, std::string_view what) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.size;
  }
  return InvalidArgument("Unknown " + std::string(what) + " unit [" + std::string(name) + "]");
}

struct Units {
  int64_t bytes = 0, time = 0;  // 0: human
};

Result<Units> ReadUnits(const RestRequest& request) {
  Units units;
  if (const auto bytes = request.Get("bytes")) {
    TIERCEL_TRY_ASSIGN(units.bytes, UnitSize(*bytes, kByteUnits, "byte"));
  }
  if (const auto time = request.Get("time")) {
    TIERCEL_TRY_ASSIGN(units.time, UnitSize(*time, kTimeUnits, "time"));
  }
  return units;
}

std::string Show(const CatCell& cell, const Units& units) {
  switch (cell.kind) {
    case CatCell::Kind::kText:
      return cell.text;
    case CatCell::Kind::kNumber:
      return std::to_string(cell.value);
    case CatCell::Kind::kBytes:
      return units.bytes > 0 ? std::to_string(cell.value / units.bytes) : Human(cell.value, kByteUnits);
    case CatCell::Kind::kTimeMs:
      return units.time > 0 ? std::to_string(cell.value / units.time) : Human(cell.value, kTimeUnits);
  }
  return {};
}

bool Less(const CatCell& a, const CatCell& b) {
  if (a.kind == CatCell::Kind::kText || b.kind == CatCell::Kind::kText) return a.text < b.text;
  return a.value < b.value;
}

// Display width: bytes that start a character.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void AppendPadded(std::string_view text, size_t width, bool right, bool last, std::string& out) {
  const size_t padding = width - std::min(width, Width(text));
  if (right) out.append(padding, ' ');
  out += text;
  if (!right && !last) out.append(padding, ' ');
}

std::string AsText(const std::vector<std::vector<std::string>>& lines, const std::vector<bool>& right) {
  std::vector<size_t> widths(right.size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], Width(line[i]));
  }
  std::string out;
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) {
      if (i > 0) out += ' ';
      AppendPadded(line[i], widths[i], right[i], i + 1 == line.size(), out);
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string HumanBytes(uint64_t bytes) {
  return Human(static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX / 10)), kByteUnits);
}

void CatTable::AddRow(std::vector<CatCell> cells) {
  TIERCEL_CHECK(cells.size() == columns_.size(), "a cat row must fill its columns");
  rows_.push_back(std::move(cells));
}

size_t CatTable::Find(std::string_view name) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
    const std::vector<std::string> aliases = SplitList(columns_[i].aliases);
    if (std::find(aliases.begin(), aliases.end(), name) != aliases.end()) return i;
  }
  return columns_.size();
}

// An alias given in h is also the title of its column; unknown names are left out.
std::vector<size_t> CatTable::Selected(const RestRequest& request, std::vector<std::string>& titles) const {
  std::vector<size_t> selected;
  const auto add = [&](size_t column, std::string title) {
    selected.push_back(column);
    titles.push_back(std::move(title));
  };
  const auto names = request.Get("h");
  if (!names || names->empty()) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].shown) add(i, std::string(columns_[i].name));
    }
    return selected;
  }
  for (const std::string& name : SplitList(*names)) {
    if (engine::IsPattern(name)) {
      for (size_t i = 0; i < columns_.size(); ++i) {
        if (engine::MatchesPattern(name, columns_[i].name)) add(i, std::string(columns_[i].name));
      }
    } else if (const size_t column = Find(name); column < columns_.size()) {
      add(column, name);
    }
  }
  return selected;
}

Status CatTable::Sort(std::string_view order) {
  std::vector<std::pair<size_t, bool>> keys;  // column, descending
  for (const std::string& item : SplitList(order)) {
    std::string_view name = item;
    const bool descending = name.ends_with(":desc");
    if (const size_t colon = name.rfind(':'); descending || name.ends_with(":asc")) name = name.substr(0, colon);
    const size_t column = Find(name);
    if (column == columns_.size())
      return InvalidArgument("Unable to sort by unknown sort key `" + std::string(name) + "`");
    keys.emplace_back(column, descending);
  }
  std::stable_sort(rows_.begin(), rows_.end(), [&](const auto& a, const auto& b) {
    for (const auto& [column, descending] : keys) {
      if (Less(a[column], b[column])) return !descending;
      if (Less(b[column], a[column])) return descending;
    }
    return false;
  });
  return {};
}

Result<RestResponse> CatTable::Render(const RestRequest& request) {
  TIERCEL_TRY_ASSIGN(const Units units, ReadUnits(request));
  TIERCEL_TRY_ASSIGN(const bool header, request.Bool("v", false));
  if (const auto order = request.Get("s")) TIERCEL_TRY(Sort(*order));
  std::vector<std::string> titles;
  const std::vector<size_t> selected = Selected(request, titles);
  const MediaFormat format = request.media.format.value_or(MediaFormat::kText);
  if (format == MediaFormat::kJson || format == MediaFormat::kYaml) {
    std::string body;
    json::Writer writer(body);
    writer.Array([&] {
      for (const auto& row : rows_) {
        writer.Object([&] {
          for (size_t i = 0; i < selected.size(); ++i) writer.Member(titles[i], Show(row[selected[i]], units));
        });
      }
    });
    return RestResponse::Json(std::move(body));
  }
  std::vector<bool> right;
  for (const size_t column : selected) right.push_back(columns_[column].right);
  std::vector<std::vector<std::string>> lines;
  if (header) lines.push_back(titles);
  for (const auto& row : rows_) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const size_t column : selected) line.push_back(Show(row[column], units));
  }
  return RestResponse::Text(selected.empty() ? std::string() : AsText(lines, right));
}

RestResponse CatTable::Help() const {
  size_t name_width = 0, alias_width = 0, help_width = 0;
  for (const CatColumn& column : columns_) {
    name_width = std::max(name_width, column.name.size());
    alias_width = std::max(alias_width, column.aliases.size());
    help_width = std::max(help_width, column.help.size());
  }
  std::string out;
  for (const CatColumn& column : columns_) {
    AppendPadded(column.name, name_width, false, false, out);
    out += " | ";
    AppendPadded(column.aliases, alias_width, false, false, out);
    out += " | ";
    AppendPadded(column.help, help_width, false, false, out);
    out += '\n';
  }
  return RestResponse::Text(std::move(out));
}

}  // namespace tiercel::server
