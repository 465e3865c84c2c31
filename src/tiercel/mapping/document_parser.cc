#include "tiercel/mapping/document_walker.h"
#include "tiercel/mapping/mapping.h"

namespace tiercel::mapping {
namespace {

constexpr uint32_t kDepthMax = 1000;

Status NotAnObject() {
  return InvalidArgument("Malformed content, must start with an object").WithType("document_parsing_exception");
}

// JSON errors as a document's answer shows them.
Status WrapSyntaxError(std::string_view source, Status cause) {
  const size_t first = source.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && source[first] != '{') return NotAnObject();
  const json::ErrorContext context = json::FindErrorContext(source, kDepthMax);
  if (!context.trailing_token.empty()) {
    return InvalidArgument("Malformed content, found extra data after parsing: " + std::string(context.trailing_token));
  }
  // Behind the document the reader stands where the message itself says.
  const std::string place = context.after_value ? cause.message().substr(0, cause.message().find(' ') + 1)
                                                : "[" + std::to_string(context.line) + ":" +
                                                      std::to_string(context.column) + "] failed to parse: ";
  std::string message = place + cause.message();
  return InvalidArgument(std::move(message)).WithType("document_parsing_exception").WithCause(std::move(cause));
}

}  // namespace

Result<ParseResult> DocumentParser::Parse(std::shared_ptr<const Mapping> mapping, std::string_view id,
                                          std::string source) const {
  ParseResult result;
  ParsedDocument& document = result.document;
  document.id = id;
  document.source = std::move(source);
  json::ParseOptions options;
  options.depth_max = kDepthMax;
  options.refuse_duplicate_keys = true;
  auto parsed = json::Document::Parse(document.source, options);
  if (!parsed.ok()) return WrapSyntaxError(document.source, std::move(parsed).status());
  if (!parsed->root().is_object()) return NotAnObject();
  DocumentWalker walker(*mapping, document);
  TIERCEL_TRY(walker.Walk(parsed->root()));
  result.mapping_update_json = walker.MappingUpdate();
  document.mapping = std::move(mapping);
  return result;
}

}  // namespace tiercel::mapping
