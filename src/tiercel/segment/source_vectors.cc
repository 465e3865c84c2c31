#include "tiercel/segment/source_vectors.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "tiercel/format/coding.h"

namespace tiercel::segment {
namespace {

constexpr VectorForm kSpace = 8;
constexpr VectorForm kIntegers = 0;
constexpr VectorForm kStyleMask = 3;
constexpr VectorForm kWidened = 4;
enum Style : uint8_t { kPython = 1, kJavaScript = 2, kJava = 3 };

constexpr size_t kMaxNumber = 48;  // bytes of a printed number
using NumberText = std::array<char, kMaxNumber>;

// The shortest digits that read back as the number: value = 0.d1d2d3… × 10^point.
struct Digits {
  char text[24];
  int count = 0;
  int point = 0;
  bool negative = false;
};

template <typename Float>
Digits ShortestDigits(Float value) {
  Digits digits;
  digits.negative = std::signbit(value);
  if (value == 0) {
    digits.text[digits.count++] = '0';
    digits.point = 1;
    return digits;
  }
  // Dragonbox gives the digits of std::to_chars, as numbers that need no taking apart, in three quarters of its time.
  const auto decimal = fmt::detail::dragonbox::to_decimal(std::abs(value));
  char* const end = std::to_chars(digits.text, digits.text + sizeof digits.text, decimal.significand).ptr;
  const auto length = static_cast<int>(end - digits.text);
  digits.count = length;
  while (digits.text[digits.count - 1] == '0') --digits.count;
  digits.point = length + decimal.exponent;
  return digits;
}

char* Put(char* to, const char* from, int count) {
  std::memcpy(to, from, static_cast<size_t>(count));
  return to + count;
}

// 0.00123, 12.3, 12300 and, when `point_zero`, 12300.0.
char* PutFixed(char* to, const Digits& digits, bool point_zero) {
  if (digits.point <= 0) {
    to = Put(to, "0.", 2);
    for (int i = digits.point; i < 0; ++i) *to++ = '0';
    return Put(to, digits.text, digits.count);
  }
  const int whole = std::min(digits.count, digits.point);
  to = Put(to, digits.text, whole);
  for (int i = whole; i < digits.point; ++i) *to++ = '0';
  if (digits.count > digits.point) {
    *to++ = '.';
    return Put(to, digits.text + whole, digits.count - whole);
  }
  return point_zero ? Put(to, ".0", 2) : to;
}

// 1.23e-05 in the manner of `style`.
char* PutScientific(char* to, const Digits& digits, Style style) {
  *to++ = digits.text[0];
  if (digits.count > 1) {
    *to++ = '.';
    to = Put(to, digits.text + 1, digits.count - 1);
  } else if (style == kJava) {
    to = Put(to, ".0", 2);
  }
  *to++ = style == kJava ? 'E' : 'e';
  int exponent = digits.point - 1;
  if (exponent < 0) {
    *to++ = '-';
    exponent = -exponent;
  } else if (style != kJava) {
    *to++ = '+';
  }
  if (style == kPython && exponent < 10) *to++ = '0';
  return std::to_chars(to, to + 4, exponent).ptr;
}

template <typename Float>
size_t PrintNumber(Float value, Style style, NumberText& out) {
  const Digits digits = ShortestDigits(value);
  char* to = out.data();
  if (digits.negative) *to++ = '-';
  // Where each language changes to exponents, in terms of the first digit's power of ten.
  const int power = value == 0 ? 0 : digits.point - 1;
  bool fixed = false;
  switch (style) {
    case kPython:
      fixed = power >= -4 && power < 16;
      break;
    case kJavaScript:
      fixed = power >= -6 && power < 21;
      break;
    case kJava:
      fixed = power >= -3 && power < 7;
      break;
  }
  to = fixed ? PutFixed(to, digits, style != kJavaScript) : PutScientific(to, digits, style);
  return static_cast<size_t>(to - out.data());
}

float FloatAt(ByteSpan vector, size_t index) {
  float value;
  std::memcpy(&value, vector.data() + index * sizeof value, sizeof value);
  return value;
}

// Number `index` of the vector in `form`; 0 when it has no text.
size_t PrintElement(ByteSpan vector, size_t index, VectorForm form, NumberText& out) {
  if ((form & (kStyleMask | kWidened)) == kIntegers) {
    const int value = static_cast<int8_t>(vector[index]);
    return static_cast<size_t>(std::to_chars(out.data(), out.data() + out.size(), value).ptr - out.data());
  }
  const float value = FloatAt(vector, index);
  if (!std::isfinite(value)) return 0;
  const Style style = static_cast<Style>(form & kStyleMask);
  return form & kWidened ? PrintNumber(static_cast<double>(value), style, out) : PrintNumber(value, style, out);
}

bool KnownForm(VectorForm form, mapping::ElementType element) {
  const VectorForm number = form & (kStyleMask | kWidened);
  if ((form & ~(kSpace | kStyleMask | kWidened)) != 0) return false;
  return element == mapping::ElementType::kFloat ? (number & kStyleMask) != 0 : number == kIntegers;
}

size_t ElementCount(ByteSpan vector, mapping::ElementType element) {
  return element == mapping::ElementType::kFloat ? vector.size() / sizeof(float) : vector.size();
}

bool Prints(std::string_view text, ByteSpan vector, mapping::ElementType element, VectorForm form) {
  const std::string_view separator = form & kSpace ? ", " : ",";
  const size_t count = ElementCount(vector, element);
  NumberText number;
  size_t at = 1;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) {
      if (text.substr(at, separator.size()) != separator) return false;
      at += separator.size();
    }
    const size_t length = PrintElement(vector, i, form, number);
    if (length == 0 || text.substr(at, length) != std::string_view(number.data(), length)) return false;
    at += length;
  }
  return at + 1 == text.size();
}

}  // namespace

std::optional<VectorForm> FindVectorForm(std::string_view text, ByteSpan vector, mapping::ElementType element) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']' || vector.empty()) return std::nullopt;
  const size_t comma = text.find(',');
  const VectorForm space = comma != std::string_view::npos && text[comma + 1] == ' ' ? kSpace : 0;
  if (element != mapping::ElementType::kFloat) {
    if (Prints(text, vector, element, space)) return space;
    return std::nullopt;
  }
  for (const VectorForm widened : {kWidened, VectorForm{0}}) {
    for (const VectorForm style : {kPython, kJavaScript, kJava}) {
      const VectorForm form = style | widened | space;
      if (Prints(text, vector, element, form)) return form;
    }
  }
  return std::nullopt;
}

bool PrintVector(ByteSpan vector, mapping::ElementType element, VectorForm form, std::string& out) {
  if (!KnownForm(form, element)) return false;
  const size_t count = ElementCount(vector, element);
  NumberText number;
  out += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += form & kSpace ? ", " : ",";
    const size_t length = PrintElement(vector, i, form, number);
    if (length == 0) return false;
    out.append(number.data(), length);
  }
  out += ']';
  return true;
}

}  // namespace tiercel::segment
