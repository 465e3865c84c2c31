#include "tiercel/search/fielddata_error.h"

#include <string>

namespace tiercel::search {

Status CheckFielddata(const mapping::Field& field, std::string_view index, FielddataUse use) {
  using mapping::FieldType;
  if (field.type == FieldType::kText) {
    return InvalidArgument(
        "Fielddata is disabled on [" + field.name + "] in [" + std::string(index) +
        "]. Text fields are not optimised for operations that require per-document field data like aggregations and "
        "sorting, so these operations are disabled by default. Please use a keyword field instead. Alternatively, set "
        "fielddata=true on [" +
        field.name +
        "] in order to load field data by uninverting the inverted index. Note that this can use significant memory.");
  }
  if (field.type == FieldType::kDenseVector) {
    if (use != FielddataUse::kSort) return {};
    return InvalidArgument("Field [" + field.name + "] of type [dense_vector] doesn't support sort");
  }
  if (!field.doc_values) {
    return InvalidArgument("Can't load fielddata on [" + field.name +
                           "] because fielddata is unsupported on fields of type [" +
                           std::string(mapping::TypeName(field.type)) + "]. Use doc values instead.");
  }
  return {};
}

}  // namespace tiercel::search
