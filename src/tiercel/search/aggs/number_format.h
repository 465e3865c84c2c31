// Decimal patterns of the "format" parameter: "0.00", "#,##0.###", "000.0", "0.0%", with text before and after.
//
// Thread safety: a value. Rounds half to even. Exponents and sub-patterns for negative numbers are refused.
#pragma once

#include <string>
#include <string_view>

#include "tiercel/base/result.h"

namespace tiercel::search::aggs {

class NumberFormat {
 public:
  static Result<NumberFormat> Parse(std::string_view pattern);
  std::string Format(double value) const;

 private:
  std::string prefix_, suffix_;
  int integer_digits_min_ = 0;
  int fraction_digits_min_ = 0;
  int fraction_digits_max_ = 0;
  int group_size_ = 0;
  double multiplier_ = 1;
};

}  // namespace tiercel::search::aggs
