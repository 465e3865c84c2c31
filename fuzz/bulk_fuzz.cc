// Bulk bodies from arbitrary text.
#include "tiercel/engine/bulk.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const bool tolerate : {false, true}) {
    tiercel::engine::BulkDefaults defaults;
    defaults.index = "index";
    defaults.tolerate_extra_keys = tolerate;
    static_cast<void>(tiercel::engine::ParseBulk(body, defaults).ok());
  }
  return 0;
}
