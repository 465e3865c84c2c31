#include <gtest/gtest.h>

#include "tiercel/search/aggs/aggregation_fixture.h"
#include "tiercel/search/aggs/recorded_index.h"

namespace tiercel::search::aggs {
namespace {

// Requests that Elasticsearch 9.2 refused, and its reasons, the outer first.
constexpr RecordedAnswer kRefusals[] = {
    {R"({"a": {"terms": {"field": "vec"}}})",
     R"(illegal_argument_exception: String representation of doc values for vector fields is not supported)"},
    {R"({"a": {"terms": {"field": "title"}}})",
     R"(illegal_argument_exception: Fielddata is disabled on [title] in [test]. Text fields are not optimised for)"
     R"( operations that require per-document field data like aggregations and sorting, so these operations are d)"
     R"(isabled by default. Please use a keyword field instead. Alternatively, set fielddata=true on [title] in o)"
     R"(rder to load field data by uninverting the inverted index. Note that this can use significant memory.)"},
    {R"({"a": {"terms": {"field": "tag", "value_type": "long"}}})",
     R"(illegal_argument_exception: Field type [keyword] is incompatible with specified value_type [byte|short|in)"
     R"(teger|long])"},
    {R"({"a": {"terms": {"field": "tag", "format": "x"}}})",
     R"(illegal_argument_exception: Field [tag] of type [keyword] does not support custom formats)"},
    {R"({"a": {"terms": {"field": "count", "missing": "zz"}}})", R"(number_format_exception: For input string: "zz")"},
    {R"({"a": {"terms": {"field": "count", "order": {"_term": "desc"}}}})",
     R"(invalid_path: Invalid aggregation order path [_term]. The provided aggregation [_term] either does not ex)"
     R"(ist, or is a pipeline aggregation and cannot be used to sort the buckets. <- illegal_argument_exception: )"
     R"(The provided aggregation [_term] either does not exist, or is a pipeline aggregation and cannot be used t)"
     R"(o sort the buckets.)"},
    {R"({"a": {"terms": {"field": "when", "time_zone": "+01:00"}}})",
     R"(x_content_parse_exception: [1:44] [terms] unknown field [time_zone])"},
    {R"({"a": {"terms": {"field": "nosuch", "value_type": "xx"}}})",
     R"(x_content_parse_exception: [1:60] [terms] failed to parse field [value_type] <- illegal_argument_exceptio)"
     R"(n: Unknown value type [xx])"},
    {R"({"a": {"max": {"field": "tag"}}})",
     R"(illegal_argument_exception: Field [tag] of type [keyword] is not supported for aggregation [max])"},
    {R"({"a": {"max": {"field": "addr"}}})",
     R"(illegal_argument_exception: Field [addr] of type [ip] is not supported for aggregation [max])"},
    {R"({"a": {"max": {"field": "vec"}}})",
     R"(illegal_argument_exception: Field [vec] of type [dense_vector] is not supported for aggregation [max])"},
    {R"({"a": {"max": {"field": "nosuch", "missing": "x"}}})", R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"avg": {"field": "tag"}}})",
     R"(illegal_argument_exception: Field [tag] of type [keyword] is not supported for aggregation [avg])"},
    {R"({"a": {"avg": {"field": "addr"}}})",
     R"(illegal_argument_exception: Field [addr] of type [ip] is not supported for aggregation [avg])"},
    {R"({"a": {"avg": {"field": "vec"}}})",
     R"(illegal_argument_exception: Field [vec] of type [dense_vector] is not supported for aggregation [avg])"},
    {R"({"a": {"avg": {"field": "nosuch", "missing": "x"}}})", R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"sum": {"field": "tag"}}})",
     R"(illegal_argument_exception: Field [tag] of type [keyword] is not supported for aggregation [sum])"},
    {R"({"a": {"sum": {"field": "addr"}}})",
     R"(illegal_argument_exception: Field [addr] of type [ip] is not supported for aggregation [sum])"},
    {R"({"a": {"sum": {"field": "vec"}}})",
     R"(illegal_argument_exception: Field [vec] of type [dense_vector] is not supported for aggregation [sum])"},
    {R"({"a": {"sum": {"field": "nosuch", "missing": "x"}}})", R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"stats": {"field": "tag"}}})",
     R"(illegal_argument_exception: Field [tag] of type [keyword] is not supported for aggregation [stats])"},
    {R"({"a": {"stats": {"field": "addr"}}})",
     R"(illegal_argument_exception: Field [addr] of type [ip] is not supported for aggregation [stats])"},
    {R"({"a": {"stats": {"field": "vec"}}})",
     R"(illegal_argument_exception: Field [vec] of type [dense_vector] is not supported for aggregation [stats])"},
    {R"({"a": {"stats": {"field": "nosuch", "missing": "x"}}})", R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"value_count": {"field": "vec"}}})",
     R"(illegal_argument_exception: String representation of doc values for vector fields is not supported)"},
    {R"({"a": {"value_count": {"field": "count", "missing": "x"}}})",
     R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"cardinality": {"field": "vec"}}})",
     R"(illegal_argument_exception: Cardinality aggregation [a] does not support vector fields)"},
    {R"({"a": {"cardinality": {"field": "count", "missing": "x"}}})",
     R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"cardinality": {"field": "count", "format": "0.0"}}})",
     R"(x_content_parse_exception: [1:51] [cardinality] unknown field [format])"},
    {R"({"a": {"percentiles": {"field": "tag"}}})",
     R"(illegal_argument_exception: Field [tag] of type [keyword] is not supported for aggregation [percentiles])"},
    {R"({"a": {"percentiles": {"field": "addr"}}})",
     R"(illegal_argument_exception: Field [addr] of type [ip] is not supported for aggregation [percentiles])"},
    {R"({"a": {"percentiles": {"field": "vec"}}})",
     R"(illegal_argument_exception: Field [vec] of type [dense_vector] is not supported for aggregation [percenti)"
     R"(les])"},
    {R"({"a": {"percentiles": {"field": "nosuch", "missing": "x"}}})",
     R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"histogram": {"field": "count", "interval": 5, "hard_bounds": {"min": 0, "max": 6},
"extended_bounds": {"min": -10, "max": 20}}}})",
     R"(illegal_argument_exception: Extended bounds have to be inside hard bounds, hard bounds: [0.0--6.0], exten)"
     R"(ded bounds: [-10.0--20.0])"},
    {R"({"a": {"histogram": {"field": "tag", "interval": 5}}})",
     R"(illegal_argument_exception: Field [tag] of type [keyword] is not supported for aggregation [histogram])"},
    {R"({"a": {"histogram": {"field": "addr", "interval": 5}}})",
     R"(illegal_argument_exception: Field [addr] of type [ip] is not supported for aggregation [histogram])"},
    {R"({"a": {"histogram": {"field": "count", "interval": 0}}})",
     R"(x_content_parse_exception: [1:61] [histogram] failed to parse field [interval] <- illegal_argument_except)"
     R"(ion: [interval] must be >0 for histogram aggregation [a])"},
    {R"({"a": {"histogram": {"field": "count"}}})",
     R"(illegal_argument_exception: interval must be positive, got: 0.0)"},
    {R"({"a": {"histogram": {"field": "count", "interval": 5, "nosuch": 1}}})",
     R"(x_content_parse_exception: [1:64] [histogram] unknown field [nosuch])"},
    {R"({"a": {"histogram": {"field": "count", "interval": 1e-05}}})",
     R"(too_many_buckets_exception: Trying to create too many buckets. Must be less than or equal to: [65536] but)"
     R"( this number of buckets was exceeded. This limit can be set by changing the [search.max_buckets] cluster )"
     R"(level setting.)"},
    {R"({"a": {"histogram": {"field": "count", "interval": 5, "missing": "x"}}})",
     R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"histogram": {"field": "count", "interval": 5, "order": {"x": "desc"}}}})",
     R"(invalid_path: Invalid aggregation order path [x]. The provided aggregation [x] either does not exist, or )"
     R"(is a pipeline aggregation and cannot be used to sort the buckets. <- illegal_argument_exception: The prov)"
     R"(ided aggregation [x] either does not exist, or is a pipeline aggregation and cannot be used to sort the b)"
     R"(uckets.)"},
    {R"({"a": {"histogram": {"field": "count", "interval": 5, "order": {"_key": "sideways"}}}})",
     R"(x_content_parse_exception: [1:82] [histogram] failed to parse field [order] <- parsing_exception: Unknown)"
     R"( order direction [sideways])"},
    {R"({"a": {"histogram": {"interval": 5}}})",
     R"(illegal_argument_exception: Required one of fields [field, script], but none were specified.)"},
    {R"({"a": {"histogram": {"field": "count", "interval": 5, "keyed": "x"}}})",
     R"(x_content_parse_exception: [1:73] [histogram] failed to parse field [keyed] <- illegal_argument_exception)"
     R"(: Failed to parse value [x] as only [true] or [false] are allowed.)"},
    {R"({"a": {"range": {"field": "tag", "ranges": [{"to": 0}, {"from": 0, "to": 10}, {"from": 5, "key": "big"}]}}})",
     R"(illegal_argument_exception: Field [tag] of type [keyword] is not supported for aggregation [range])"},
    {R"({"a": {"range": {"field": "addr", "ranges": [{"to": 0}, {"from": 0, "to": 10}, {"from": 5, "key": "big"}]}}})",
     R"(illegal_argument_exception: Field [addr] of type [ip] is not supported for aggregation [range])"},
    {R"({"a": {"range": {"field": "count", "ranges": []}}})",
     R"(illegal_argument_exception: No [ranges] specified for the [a] aggregation)"},
    {R"({"a": {"range": {"field": "count", "ranges": [{"from": "a"}]}}})",
     R"(number_format_exception: For input string: "a")"},
    {R"({"a": {"range": {"field": "count", "ranges": [{"nosuch": 5}]}}})",
     R"(x_content_parse_exception: [1:67] [range] failed to parse field [ranges] <- x_content_parse_exception: [1)"
     R"(:57] [range] unknown field [nosuch])"},
    {R"({"a": {"range": {"ranges": [{"to": 5}]}}})",
     R"(illegal_argument_exception: Required one of fields [field, script], but none were specified.)"},
    {R"({"a": {"range": {"field": "count", "ranges": [{"from": 5}], "nosuch": 1}}})",
     R"(x_content_parse_exception: [1:70] [range] unknown field [nosuch])"},
    {R"({"a": {"date_range": {"field": "when", "ranges": [{"from": "x"}]}}})",
     R"(parse_exception: failed to parse date field [x] with format [strict_date_optional_time||epoch_millis]: [f)"
     R"(ailed to parse date field [x] with format [strict_date_optional_time||epoch_millis]] <- illegal_argument_)"
     R"(exception: failed to parse date field [x] with format [strict_date_optional_time||epoch_millis] <- date_t)"
     R"(ime_parse_exception: Failed to parse with all enclosed parsers)"},
    {R"({"a": {"nosuch": {}}})",
     R"(parsing_exception: Unknown aggregation type [nosuch] <- named_object_not_found_exception: [1:27] unknown )"
     R"(field [nosuch])"},
    {R"({"a": {"min": {"field": "count"}, "max": {"field": "count"}}})",
     R"(parsing_exception: Found two aggregation type definitions in [a]: [min] and [max])"},
    {R"({"a": {}})", R"(parsing_exception: Missing definition for aggregation [a])"},
    {R"({"a": {"aggs": {}}})", R"(parsing_exception: Missing definition for aggregation [a])"},
    {R"({"a": {"min": 5}})",
     R"(parsing_exception: Expected [START_OBJECT] under [min], but got a [VALUE_NUMBER] in [a])"},
    {R"({"a": {"min": {}}})",
     R"(illegal_argument_exception: Required one of fields [field, script], but none were specified.)"},
    {R"({"a": {"min": {"field": 5}}})",
     R"(x_content_parse_exception: [1:34] [min] field doesn't support values of type: VALUE_NUMBER)"},
    {R"({"a": {"min": {"nosuch": 5}}})", R"(x_content_parse_exception: [1:25] [min] unknown field [nosuch])"},
    {R"({"a": 5})",
     R"(parsing_exception: Aggregation definition for [a starts with a [VALUE_NUMBER], expected a [START_OBJECT].)"},
    {R"({"a": {"min": {"field": "count"}, "aggs": {"b": {"min": {"field": "count"}}}}})",
     R"(illegal_argument_exception: Aggregator [a] of type [min] cannot accept sub-aggregations)"},
    {R"({"a": {"terms": {"field": "tag"}, "aggs": {"b": {"nosuch": {}}}}})",
     R"(parsing_exception: Unknown aggregation type [nosuch] <- named_object_not_found_exception: [1:69] unknown )"
     R"(field [nosuch])"},
    {R"({"a": {"terms": {"field": "tag"}, "aggs": {"b": {"min": {"field": "count"}}},
"aggregations": {"c": {"min": {"field": "count"}}}}})",
     R"(parsing_exception: Found two sub aggregation definitions under [a])"},
    {R"({"a": {"min": {"field": "count"}, "meta": 5}})",
     R"(parsing_exception: Expected [START_OBJECT] under [meta], but got a [VALUE_NUMBER] in [a])"},
    {R"({"a": {"terms": {"field": "tag", "size": 0}}})",
     R"(x_content_parse_exception: [1:51] [terms] failed to parse field [size] <- illegal_argument_exception: [si)"
     R"(ze] must be greater than 0. Found [0] in [a])"},
    {R"({"a": {"terms": {"field": "tag", "shard_size": 0}}})",
     R"(x_content_parse_exception: [1:57] [terms] failed to parse field [shard_size] <- illegal_argument_exceptio)"
     R"(n: [shardSize] must be greater than 0. Found [0] in [a])"},
    {R"({"a": {"terms": {}}})",
     R"(illegal_argument_exception: Required one of fields [field, script], but none were specified.)"},
    {R"({"a": {"terms": {"field": "tag", "nosuch": 1}}})",
     R"(x_content_parse_exception: [1:43] [terms] unknown field [nosuch])"},
    {R"({"a": {"terms": {"field": "tag", "order": {"x": "asc"}}}})",
     R"(invalid_path: Invalid aggregation order path [x]. The provided aggregation [x] either does not exist, or )"
     R"(is a pipeline aggregation and cannot be used to sort the buckets. <- illegal_argument_exception: The prov)"
     R"(ided aggregation [x] either does not exist, or is a pipeline aggregation and cannot be used to sort the b)"
     R"(uckets.)"},
    {R"({"a": {"terms": {"field": "tag", "order": "asc"}}})",
     R"(x_content_parse_exception: [1:52] [terms] order doesn't support values of type: VALUE_STRING)"},
    {R"({"a": {"terms": {"field": "tag", "order": {}}}})",
     R"(x_content_parse_exception: [1:53] [terms] failed to parse field [order] <- parsing_exception: Must specif)"
     R"(y at least one field for [order])"},
    {R"({"a": {"terms": {"field": "tag", "order": {"s": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [s]. When ordering on a multi-value metrics aggregation a me)"
     R"(tric name must be specified. <- illegal_argument_exception: When ordering on a multi-value metrics aggreg)"
     R"(ation a metric name must be specified.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"s.nosuch": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [s.nosuch]. Unknown metric name [nosuch] on multi-value metr)"
     R"(ics aggregation [s] <- illegal_argument_exception: Unknown metric name [nosuch] on multi-value metrics ag)"
     R"(gregation [s])"},
    {R"({"a": {"terms": {"field": "tag", "order": {"s.value": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [s.value]. Unknown metric name [value] on multi-value metric)"
     R"(s aggregation [s] <- illegal_argument_exception: Unknown metric name [value] on multi-value metrics aggre)"
     R"(gation [s])"},
    {R"({"a": {"terms": {"field": "tag", "order": {"t": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [t]. Buckets can only be sorted on a sub-aggregator path tha)"
     R"(t is built out of zero or more single-bucket aggregations within the path and a final single-bucket or a )"
     R"(metrics aggregation at the path end. <- illegal_argument_exception: Buckets can only be sorted on a sub-a)"
     R"(ggregator path that is built out of zero or more single-bucket aggregations within the path and a final s)"
     R"(ingle-bucket or a metrics aggregation at the path end.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"t.x": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [t.x]. Buckets can only be sorted on a sub-aggregator path t)"
     R"(hat is built out of zero or more single-bucket aggregations within the path and a final single-bucket or )"
     R"(a metrics aggregation at the path end. <- illegal_argument_exception: Buckets can only be sorted on a sub)"
     R"(-aggregator path that is built out of zero or more single-bucket aggregations within the path and a final)"
     R"( single-bucket or a metrics aggregation at the path end.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"t>s": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [t>s]. Buckets can only be sorted on a sub-aggregator path t)"
     R"(hat is built out of zero or more single-bucket aggregations within the path and a final single-bucket or )"
     R"(a metrics aggregation at the path end. [t] is not single-bucket. <- illegal_argument_exception: Buckets c)"
     R"(an only be sorted on a sub-aggregator path that is built out of zero or more single-bucket aggregations w)"
     R"(ithin the path and a final single-bucket or a metrics aggregation at the path end. [t] is not single-buck)"
     R"(et.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"t._count": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [t._count]. Buckets can only be sorted on a sub-aggregator p)"
     R"(ath that is built out of zero or more single-bucket aggregations within the path and a final single-bucke)"
     R"(t or a metrics aggregation at the path end. <- illegal_argument_exception: Buckets can only be sorted on )"
     R"(a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path and a )"
     R"(final single-bucket or a metrics aggregation at the path end.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"t._bucket_count": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [t._bucket_count]. Buckets can only be sorted on a sub-aggre)"
     R"(gator path that is built out of zero or more single-bucket aggregations within the path and a final singl)"
     R"(e-bucket or a metrics aggregation at the path end. <- illegal_argument_exception: Buckets can only be sor)"
     R"(ted on a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path)"
     R"( and a final single-bucket or a metrics aggregation at the path end.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"_count.x": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [_count.x]. The provided aggregation [_count.x] either does )"
     R"(not exist, or is a pipeline aggregation and cannot be used to sort the buckets. <- illegal_argument_excep)"
     R"(tion: The provided aggregation [_count.x] either does not exist, or is a pipeline aggregation and cannot )"
     R"(be used to sort the buckets.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"f._count": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [f._count]. Buckets can only be sorted on a sub-aggregator p)"
     R"(ath that is built out of zero or more single-bucket aggregations within the path and a final single-bucke)"
     R"(t or a metrics aggregation at the path end. <- illegal_argument_exception: Buckets can only be sorted on )"
     R"(a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path and a )"
     R"(final single-bucket or a metrics aggregation at the path end.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"p": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [p]. When ordering on a multi-value metrics aggregation a me)"
     R"(tric name must be specified. <- illegal_argument_exception: When ordering on a multi-value metrics aggreg)"
     R"(ation a metric name must be specified.)"},
    {R"({"a": {"terms": {"field": "tag", "order": {"p.7": "desc"}},
"aggs": {"s": {"stats": {"field": "obj.size"}}, "m": {"max": {"field": "count"}},
"t": {"terms": {"field": "tag"}}, "f": {"filter": {"match_all": {}},
"aggs": {"s": {"sum": {"field": "count"}}}}, "p": {"percentiles": {"field": "count", "percents": [50]}},
"c": {"cardinality": {"field": "count"}}, "vc": {"value_count": {"field": "count"}},
"av": {"avg": {"field": "count"}}}}})",
     R"(invalid_path: Invalid aggregation order path [p.7]. Unknown metric name [7] on multi-value metrics aggreg)"
     R"(ation [p] <- illegal_argument_exception: Unknown metric name [7] on multi-value metrics aggregation [p])"},
    {R"({"a": {"terms": {"field": "count", "include": ["x"]}}})", R"(number_format_exception: For input string: "x")"},
    {R"({"a": {"terms": {"field": "addr", "include": ["x"]}}})",
     R"(illegal_argument_exception: 'x' is not an IP string literal.)"},
    {R"({"a": {"terms": {"field": "tag", "collect_mode": "x"}}})",
     R"(x_content_parse_exception: [1:59] [terms] failed to parse field [collect_mode] <- parse_exception: no [co)"
     R"(llect_mode] found for value [x])"},
    {R"({"a": {"terms": {"field": "tag", "execution_hint": "x"}}})",
     R"(illegal_argument_exception: Unknown `execution_hint`: [x], expected any of [map, global_ordinals])"},
    {R"({"a": {"terms": {"field": "tag", "missing": null}}})",
     R"(x_content_parse_exception: [1:54] [terms] failed to parse field [missing] <- illegal_argument_exception: )"
     R"([missing] must not be null: [a])"},
    {R"({"a": {"terms": {"field": "tag", "missing": []}}})",
     R"(x_content_parse_exception: [1:54] [terms] missing doesn't support values of type: START_ARRAY)"},
    {R"({"a": {"percentiles": {"field": "count", "percents": [101]}}})",
     R"(x_content_parse_exception: Failed to build [percentiles] after last required field arrived <- illegal_arg)"
     R"(ument_exception: percent must be in [0,100], got [101.0]: [a])"},
    {R"({"a": {"percentiles": {"field": "count", "compression": 200}}})",
     R"(x_content_parse_exception: [1:51] [percentiles] unknown field [compression])"},
    {R"({"a": {"percentiles": {"field": "count", "tdigest": {"compression": -1}}}})",
     R"(x_content_parse_exception: [1:78] [percentiles] failed to parse field [tdigest] <- x_content_parse_except)"
     R"(ion: [1:78] [tdigest] failed to parse field [compression] <- illegal_argument_exception: [compression] mu)"
     R"(st be greater than or equal to 0. Found [-1.0])"},
    {R"({"a": {"cardinality": {"field": "count", "precision_threshold": -1}}})",
     R"(x_content_parse_exception: [1:74] [cardinality] failed to parse field [precision_threshold] <- illegal_ar)"
     R"(gument_exception: [precisionThreshold] must be greater than or equal to 0. Found [-1] in [a])"},
    {R"({"a": {"cardinality": {"field": "count", "rehash": true}}})",
     R"(x_content_parse_exception: [1:61] [cardinality] rehash doesn't support values of type: VALUE_BOOLEAN)"},
    {R"({"a": {"cardinality": {"field": "count", "execution_hint": "x"}}})",
     R"(illegal_argument_exception: Invalid execution mode for cardinality aggregation.  Got [x]expected one of [)"
     R"(global_ordinal, segment_ordinal, direct])"},
    {R"({"a": {"value_count": {}}})",
     R"(illegal_argument_exception: Required one of fields [field, script], but none were specified.)"},
    {R"({"a": {"cardinality": {}}})",
     R"(illegal_argument_exception: Required one of fields [field, script], but none were specified.)"},
    {R"({"a": {"sum": {"field": "count", "missing": []}}})",
     R"(x_content_parse_exception: [1:54] [sum] missing doesn't support values of type: START_ARRAY)"},
    {R"({"a": {"global": {"x": 1}}})",
     R"(parsing_exception: Expected [FIELD_NAME] under a [START_OBJECT], but got a [VALUE_NUMBER] in [a])"},
    {R"({"a": {"filter": {}}})", R"(illegal_argument_exception: query malformed, empty clause found at [1:28])"},
    {R"({"a": {"filter": {"nosuch": {}}}})",
     R"(parsing_exception: unknown query [nosuch] <- named_object_not_found_exception: [1:38] unknown field [nosu)"
     R"(ch])"},
    {R"({"a": {"terms": {"field": "tag"}, "aggs": {"g": {"global": {}}}}})",
     R"(illegal_argument_exception: Aggregation [a] cannot have a global sub-aggregation [g]. Global aggregations)"
     R"( can only be defined as top level aggregations)"},
};

TEST(RefusalTest, RefusesAsElasticsearchDoes) {
  const IndexFixture index = RecordedIndex(1);
  for (const RecordedAnswer& recorded : kRefusals) {
    EXPECT_EQ(AggregateRefusal(index, recorded.request), recorded.answer) << recorded.request;
  }
}

}  // namespace
}  // namespace tiercel::search::aggs
