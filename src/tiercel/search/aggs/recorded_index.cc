#include "tiercel/search/aggs/recorded_index.h"

namespace tiercel::search::aggs {

IndexFixture RecordedIndex(size_t segments) {
  const std::vector<std::string> documents = {
      R"({"id":0,"title":"hello world","tag":["red","blue"],"count":5,"price":1.5,"f":0.1,"when":"2020-01-01",
"flag":true,"addr":"10.0.0.1","obj":{"kind":"a","size":3}})",
      R"({"id":1,"title":"hello","tag":"red","count":[7,5],"price":[2.5,-0.0],"f":0.2,"when":["2020-02-01",
"2021-05-06T01:02:03.004Z"],"flag":false,"addr":["10.0.0.1","2001:db8::1"],"obj":{"kind":"b","size":13}})",
      R"({"id":2,"title":"x","tag":"green","count":-3,"price":10000000000.0,"f":10000000000.0,
"when":"2020-03-15T12:00:00Z","flag":true,"obj":{"kind":"a","size":33}})",
      R"({"id":3,"tag":"","obj":{"kind":"c"}})",
      R"({"id":4,"count":[5,5,9],"when":"2020-01-31T23:30:00Z","flag":[true,false],"obj":{"size":50}})",
  };
  IndexFixture index(R"({"properties":{"id":{"type":"long"},"title":{"type":"text","fields":{"raw":{"type":"keyword",
"ignore_above":24}}},"tag":{"type":"keyword"},"count":{"type":"long"},"price":{"type":"double"},
"f":{"type":"float"},"when":{"type":"date"},"vec":{"type":"dense_vector","dims":2},"flag":{"type":"boolean"},"addr":{"type":"ip"},
"obj":{"properties":{"kind":{"type":"keyword"},"size":{"type":"integer"}}}}})");
  for (size_t i = 0; i < segments; ++i) {
    const auto begin = documents.begin() + static_cast<ptrdiff_t>(i * documents.size() / segments);
    index.AddSegment({begin, documents.begin() + static_cast<ptrdiff_t>((i + 1) * documents.size() / segments)});
  }
  return index;
}

}  // namespace tiercel::search::aggs
