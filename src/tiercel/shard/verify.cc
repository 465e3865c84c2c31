#include <algorithm>
#include <set>
#include <utility>

#include "tiercel/cache/open.h"
#include "tiercel/manifest/manifest.h"
#include "tiercel/shard/log.h"
#include "tiercel/shard/object_kind.h"
#include "tiercel/shard/shard.h"

namespace tiercel::shard {
namespace {

class Verifier {
 public:
  Verifier(const store::ObjectStore& store, std::string_view prefix) : store_(store), prefix_(prefix) {}

  Result<VerifyReport> Run() {
    TIERCEL_TRY_ASSIGN(const std::vector<store::ObjectInfo> objects, store_.List(prefix_ + "/"));
    for (const store::ObjectInfo& object : objects) {
      ++report_.objects;
      report_.bytes += object.size;
    }
    auto newest = manifest::ReadNewest(store_, prefix_);
    if (!newest.ok()) {
      Problem(prefix_ + "/manifest", newest.error());
      return std::move(report_);
    }
    CheckManifest(*newest);
    for (const manifest::SegmentEntry& entry : newest->segments) CheckSegment(entry);
    CheckLog(*newest);
    CheckOrphans(objects, *newest);
    return std::move(report_);
  }

 private:
  void Problem(std::string object, const Status& what) { Problem(std::move(object), what.ToString()); }
  void Problem(std::string object, std::string what) {
    report_.problems.push_back({std::move(object), std::move(what)});
  }
  std::string Path(std::string_view relative) const { return prefix_ + "/" + std::string(relative); }

  void CheckManifest(const manifest::Manifest& manifest) {
    const std::string name = manifest::ObjectName(prefix_, manifest.generation);
    std::set<std::string_view> seen;
    for (const manifest::SegmentEntry& entry : manifest.segments) {
      if (!seen.insert(entry.object).second) Problem(name, "names " + entry.object + " twice");
      if (entry.live_count > entry.doc_count) Problem(name, entry.object + " has more live documents than documents");
      if (entry.max_seq_no > manifest.persisted_seq_no) {
        Problem(name, entry.object + " holds operation " + std::to_string(entry.max_seq_no) +
                          ", beyond persisted_seq_no " + std::to_string(manifest.persisted_seq_no));
      }
    }
  }

  void CheckSegment(const manifest::SegmentEntry& entry) {
    const std::string name = Path(entry.object);
    auto input = cache::OpenObject(store_, name);
    if (!input.ok()) return Problem(name, input.error());
    auto opened = segment::Segment::Open(std::move(input).value());
    if (!opened.ok()) return Problem(name, opened.error());
    const segment::Segment& segment = **opened;
    if (const Status verified = segment.Verify(); !verified.ok()) return Problem(name, verified);
    report_.documents += entry.live_count;
    if (segment.doc_count() != entry.doc_count || segment.size_bytes() != entry.bytes) {
      Problem(name, "has " + std::to_string(segment.doc_count()) + " documents and " +
                        std::to_string(segment.size_bytes()) + " bytes, the manifest says " +
                        std::to_string(entry.doc_count) + " and " + std::to_string(entry.bytes));
      return;
    }
    const segment::NumericColumn* seq_no = segment.numeric(segment::kSeqNoField);
    if (seq_no == nullptr || !seq_no->dense_single()) {
      Problem(name, "not every document has one sequence number");
    } else if (seq_no->min() != entry.min_seq_no || seq_no->max() != entry.max_seq_no) {
      Problem(name, "sequence numbers are not those of the manifest");
    }
    const segment::LiveDocs all(entry.doc_count);
    if (entry.live_docs_object.empty()) {
      if (entry.live_count != entry.doc_count) Problem(name, "has deleted documents but no live-documents object");
      return CheckIds(segment, all);
    }
    const std::string live_name = Path(entry.live_docs_object);
    const Result<Bytes> bytes = store_.Get(live_name);
    if (!bytes.ok()) return Problem(live_name, bytes.error());
    const Result<segment::LiveDocs> live = segment::LiveDocs::Decode(*bytes, live_name, entry.doc_count);
    if (!live.ok()) return Problem(live_name, live.error());
    if (live->live_count() != entry.live_count)
      Problem(live_name, "the number of live documents is not the manifest's");
    CheckIds(segment, *live);
  }

  // Invariant S5: an id is live once in the whole shard.
  void CheckIds(const segment::Segment& segment, const segment::LiveDocs& live) {
    for (segment::DocId doc = 0; doc < segment.doc_count(); ++doc) {
      if (!live.live(doc)) continue;
      Result<std::string> id = segment.Id(doc);
      if (!id.ok()) return Problem(Path("segments/" + segment.name()), id.error());
      if (!ids_.insert(*id).second) Problem(Path("segments/" + segment.name()), "document [" + *id + "] is live twice");
    }
  }

  void CheckLog(const manifest::Manifest& manifest) {
    auto replay = ReplayLogs(store_, prefix_, manifest.log_generation, manifest.persisted_seq_no,
                             [](const LogRecord&) -> Status { return {}; });
    if (!replay.ok()) return Problem(prefix_ + "/log", replay.error());
    report_.log_operations = replay->operations;
    // What a crash leaves and what damage to the last frames leaves look alike: nothing says that they were ever whole.
    if (replay->last_torn) {
      report_.problems.push_back({LogObjectName(prefix_, replay->last_generation),
                                  "no whole frame from offset " + std::to_string(replay->last_valid_size) +
                                      " on: a write cut off by a crash, which the next start removes, or damage"});
    }
  }

  void CheckOrphans(const std::vector<store::ObjectInfo>& objects, const manifest::Manifest& manifest) {
    std::set<std::string> named;
    for (const manifest::SegmentEntry& entry : manifest.segments) {
      named.insert(entry.object);
      named.insert(entry.live_docs_object);
    }
    for (const store::ObjectInfo& object : objects) {
      const std::string relative = object.name.substr(prefix_.size() + 1);
      const ObjectKind kind = KindOf(relative);
      bool orphan = false;
      if (kind.kind == ObjectKind::Kind::kForeign) orphan = true;
      if (kind.kind == ObjectKind::Kind::kManifest) orphan = kind.number < manifest.generation;
      if (kind.kind == ObjectKind::Kind::kLog) orphan = kind.number < manifest.log_generation;
      if (kind.kind == ObjectKind::Kind::kSegment || kind.kind == ObjectKind::Kind::kLiveDocs)
        orphan = !named.contains(relative);
      if (orphan) Problem(object.name, "orphan: nothing names it");
    }
  }

  const store::ObjectStore& store_;
  const std::string prefix_;
  std::set<std::string> ids_;
  VerifyReport report_;
};

}  // namespace

Result<VerifyReport> VerifyShard(const store::ObjectStore& store, std::string_view prefix) {
  return Verifier(store, prefix).Run();
}

}  // namespace tiercel::shard
