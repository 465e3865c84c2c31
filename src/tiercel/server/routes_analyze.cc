// _analyze: what an analyzer makes of a text.

#include "tiercel/analysis/analyzer.h"
#include "tiercel/analysis/character_class.h"
#include "tiercel/json/writer.h"
#include "tiercel/server/engine_request.h"
#include "tiercel/server/routes.h"

namespace tiercel::server {
namespace {

using engine::Engine;

constexpr uint32_t kPositionGap = 100;  // between the texts of a list, as between the values of a field

// The standard tokenizer names tokens by the script of their characters; the other tokenizers know only words.
std::string_view TokenType(const analysis::Analyzer& analyzer, std::string_view term) {
  if (analyzer.name() != "standard") return "word";
  using analysis::CharacterClass;
  bool digits = true;
  for (size_t at = 0; at < term.size();) {
    const analysis::Character character = analysis::Decode(term, at);
    switch (analysis::ClassOf(character.code)) {
      case CharacterClass::kIdeograph:
        return "<IDEOGRAPHIC>";
      case CharacterClass::kHiragana:
        return "<HIRAGANA>";
      case CharacterClass::kKatakana:
        return "<KATAKANA>";
      case CharacterClass::kComplexContext:
        return "<SOUTHEAST_ASIAN>";
      case CharacterClass::kEmoji:
      case CharacterClass::kRegionalIndicator:
        return "<EMOJI>";
      case CharacterClass::kLetter:
      case CharacterClass::kHebrewLetter:
        digits = false;
        break;
      default:
        break;
    }
    at += character.length;
  }
  return digits ? "<NUM>" : "<ALPHANUM>";
}

Status MissingText() {
  return InvalidArgument("Validation Failed: 1: text is missing;").WithType("action_request_validation_exception");
}

Result<std::vector<std::string_view>> ReadTexts(json::Value text) {
  std::vector<std::string_view> texts;
  if (text.is_string()) {
    texts.push_back(text.as_string());
  } else if (text.is_array()) {
    for (const json::Value item : text.elements()) {
      if (!item.is_string()) return InvalidArgument("text array element should only contain text");
      texts.push_back(item.as_string());
    }
  }
  if (texts.empty()) return MissingText();
  return texts;
}

// The analyzer of the mapped text field `name`.
Result<std::string> FieldAnalyzer(Engine& engine, std::string_view index, std::string_view name) {
  TIERCEL_TRY_ASSIGN(const auto found, engine.Resolve(index, {}));
  const mapping::Field* field = found.empty() ? nullptr : found.front()->mapping->Find(name);
  if (field == nullptr) return std::string("standard");
  if (field->type == mapping::FieldType::kKeyword) return std::string("keyword");
  if (field->type != mapping::FieldType::kText) {
    return InvalidArgument("Can't process field [" + std::string(name) +
                           "], Analysis requests are only supported on tokenized fields");
  }
  return field->analyzer.empty() ? std::string("standard") : field->analyzer;
}

Result<const analysis::Analyzer*> ReadAnalyzer(Engine& engine, const RestRequest& request, json::Value body) {
  std::string name = "standard";
  const json::Value field = body["field"], named = body["analyzer"];
  if (named.is_string()) {
    name = named.as_string();
  } else if (field.is_string()) {
    if (!request.Has("index")) return InvalidArgument("analysis based on a specific field requires an index");
    TIERCEL_TRY_ASSIGN(name, FieldAnalyzer(engine, IndexExpression(request), field.as_string()));
  }
  const analysis::Analyzer* analyzer = analysis::FindAnalyzer(name);
  if (analyzer == nullptr) return InvalidArgument("failed to find global analyzer [" + name + "]");
  return analyzer;
}

Result<RestResponse> Analyze(Engine& engine, const RestRequest& request) {
  if (!request.has_body())
    return InvalidArgument("request body or source parameter is required").WithType("parse_exception");
  TIERCEL_TRY_ASSIGN(const RequestBody parsed, ParseBody(request));
  const json::Value body = parsed.root();
  if (!body.is_object()) return InvalidArgument("Malformed content, must start with an object");
  for (const auto [key, value] : body.members()) {
    if (key == "text" || key == "analyzer" || key == "field") continue;
    if (key == "tokenizer" || key == "filter" || key == "char_filter" || key == "normalizer" || key == "explain" ||
        key == "attributes") {
      return Unimplemented("[" + std::string(key) + "] is not supported by _analyze: name an [analyzer] or a [field]");
    }
    return InvalidArgument("[analyze_request] unknown field [" + std::string(key) + "]")
        .WithType("x_content_parse_exception");
  }
  TIERCEL_TRY_ASSIGN(const std::vector<std::string_view> texts, ReadTexts(body["text"]));
  TIERCEL_TRY_ASSIGN(const analysis::Analyzer* const analyzer, ReadAnalyzer(engine, request, body));
  std::string json;
  json::Writer writer(json);
  analysis::TokenBuffer buffer;
  uint32_t base = 0;  // offsets go on from one text to the next, with a character in between
  writer.Object([&] {
    writer.Key("tokens").Array([&] {
      for (const std::string_view text : texts) {
        buffer.tokens.clear();
        analyzer->Analyze(text, buffer);
        for (const analysis::Token& token : buffer.tokens) {
          writer.Object([&] {
            writer.Member("token", buffer.term(token))
                .Member("start_offset", base + analysis::Utf16Length(text.substr(0, token.start)));
            writer.Member("end_offset", base + analysis::Utf16Length(text.substr(0, token.end)));
            writer.Member("type", TokenType(*analyzer, buffer.term(token))).Member("position", token.position);
          });
        }
        base += analysis::Utf16Length(text) + 1;
        buffer.position += kPositionGap;
      }
    });
  });
  return RestResponse::Json(std::move(json));
}

}  // namespace

void AddAnalyzeRoutes(Router& router, Engine& engine) {
  for (const HttpMethod method : {HttpMethod::kGet, HttpMethod::kPost}) {
    for (const char* pattern : {"/_analyze", "/{index}/_analyze"}) {
      router.Add({.method = method,
                  .pattern = pattern,
                  .body = BodyRule::kAllowed,
                  .handler = [&engine](const RestRequest& r) { return Analyze(engine, r); }});
    }
  }
}

}  // namespace tiercel::server
