// Analyzer: text in, terms with positions and offsets out.
//
//   analysis::TokenBuffer tokens;
//   analysis::FindAnalyzer("standard")->Analyze("Running, fast", tokens);  // running 0, fast 1
//
// The analyzers are Elasticsearch's built-in ones and give the same terms: standard, simple, whitespace, stop, keyword.
//
// Thread safety: analyzers are immutable and shared by all threads; a TokenBuffer belongs to one. Lifetime: analyzers
// live as long as the program. Cost: linear; about 3 ns a byte of ASCII text, more for other scripts; no allocation
// once a buffer has grown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tiercel::analysis {

struct Token {
  uint32_t term_offset, term_length;  // in TokenBuffer::terms
  uint32_t position;
  uint32_t start, end;  // bytes of the analyzed text the token comes from
};

struct TokenBuffer {
  std::string terms;
  std::vector<Token> tokens;
  // Position of the next token. Analyze goes on from here, so that the values of one field follow each other; whoever
  // wants a gap between two values adds it in between.
  uint32_t position = 0;

  std::string_view term(const Token& token) const {
    return std::string_view(terms).substr(token.term_offset, token.term_length);
  }
  void Clear() {
    terms.clear();
    tokens.clear();
    position = 0;
  }
};

class Analyzer {
 public:
  virtual ~Analyzer() = default;
  virtual std::string_view name() const = 0;
  // Appends the tokens of `text`, which must be valid UTF-8 (invalid bytes separate tokens).
  virtual void Analyze(std::string_view text, TokenBuffer& out) const = 0;
};

// The analyzer of that name, or null.
const Analyzer* FindAnalyzer(std::string_view name);

// Lower case as Lucene's LowerCaseFilter has it: character by character, without regard to language or context.
void AppendLowerCase(std::string_view text, std::string& out);

// Length of `text` in UTF-16 units, in which REST answers count offsets.
uint32_t Utf16Length(std::string_view text);

}  // namespace tiercel::analysis
