// A mapping for tests that only knows its fields.
#include "tiercel/segment/segment_fixture.h"

namespace tiercel::mapping {

struct Mapping::Data {
  std::vector<Field> fields;
};

Mapping::Mapping(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Mapping::~Mapping() = default;
const Field& Mapping::field(FieldId id) const { return data_->fields[id]; }
uint32_t Mapping::size() const { return static_cast<uint32_t>(data_->fields.size()); }
NumericEncoding Field::encoding() const { return type == FieldType::kDouble ? NumericEncoding::kDouble : NumericEncoding::kInt64; }

}  // namespace tiercel::mapping

namespace tiercel::segment {

std::shared_ptr<const mapping::Mapping> MakeTestMapping(std::vector<mapping::Field> fields) {
  auto data = std::make_unique<mapping::Mapping::Data>();
  for (mapping::FieldId id = 0; id < fields.size(); ++id) fields[id].id = id;
  data->fields = std::move(fields);
  return std::make_shared<mapping::Mapping>(std::move(data));
}

}  // namespace tiercel::segment
