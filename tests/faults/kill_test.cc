// kill_test: SIGKILL against a shard at work, again and again, on a real directory.
//
// A child process opens the shard and lets several threads index, update and delete, beside refreshes, flushes, merges
// and garbage collection. Every operation is announced to the parent through a pipe before it is made, and once more
// when it has been acknowledged. The parent kills the child at a random moment, opens the shard itself and checks that
//   - every acknowledged operation is there, with its content, version and sequence number,
//   - an operation that was announced only is there whole or not at all, and nothing else is there,
//   - VerifyShard finds nothing, and after a garbage collection no orphan either.
//
//   kill_test --kills 200 --seed 7 --directory /tmp/kill
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tiercel/base/check.h"
#include "tiercel/base/random.h"
#include "tiercel/runtime/thread_pool.h"
#include "tiercel/shard/shard.h"
#include "tiercel/shard/shard_testing.h"
#include "tiercel/store/directory_store.h"

namespace tiercel::shard {
namespace {

constexpr int kWriters = 3;
constexpr uint64_t kIdsPerWriter = 50;
constexpr uint64_t kMaxBatch = 5;
constexpr uint64_t kLongestLifeMs = 120;

// One pipe message: small enough to be written whole, by any thread.
struct Message {
  enum Kind : int32_t { kAnnounced, kAcknowledged } kind;
  int32_t id;       // writer * kIdsPerWriter + number
  int64_t content;  // -1: a delete
  int64_t version;
  int64_t seq_no;
};
static_assert(sizeof(Message) <= 512, "POSIX promises atomic pipe writes up to this");

std::string IdOf(int32_t id) { return "doc-" + std::to_string(id); }

std::unique_ptr<Shard> OpenShard(store::ObjectStore& store, runtime::ThreadPool* pool) {
  ShardOptions options = TestOptions(store, Clock::System());
  options.background = pool != nullptr;
  options.merge_pool = pool;
  options.settings.refresh_interval_ms = 5;
  options.settings.refresh_interval_explicit = true;
  auto opened = Shard::Open(std::move(options));
  TIERCEL_CHECK(opened.ok(), opened.status().ToString());
  return std::move(opened).value();
}

// ---- child ----

void Send(int pipe, const Message& message) { TIERCEL_CHECK(write(pipe, &message, sizeof message) == sizeof message); }

void WriteForever(Shard& shard, int pipe, int writer, uint64_t seed) {
  Random random(seed);
  for (int64_t content = static_cast<int64_t>(random.Below(1'000'000)) * 1000;; ++content) {
    std::vector<Operation> operations;
    std::vector<Message> messages;
    const uint64_t first = random.Below(kIdsPerWriter);
    const uint64_t count = 1 + random.Below(kMaxBatch);
    for (uint64_t i = 0; i < count; ++i) {  // distinct ids, so that each one's fate is known
      const auto id = static_cast<int32_t>(static_cast<uint64_t>(writer) * kIdsPerWriter + (first + i) % kIdsPerWriter);
      const bool deletes = random.OneIn(4);
      messages.push_back({Message::kAnnounced, id, deletes ? -1 : content, 0, 0});
      operations.push_back(deletes ? DeleteOp(IdOf(id)) : IndexOp(IdOf(id), content));
      Send(pipe, messages.back());
    }
    const std::vector<OperationResult> results = shard.Apply(operations);
    for (size_t i = 0; i < results.size(); ++i) {
      TIERCEL_CHECK(results[i].status.ok(), results[i].status.ToString());
      messages[i].kind = Message::kAcknowledged;
      messages[i].version = results[i].version;
      messages[i].seq_no = results[i].seq_no;
      Send(pipe, messages[i]);
    }
  }
}

void MaintainForever(Shard& shard, uint64_t seed) {
  Random random(seed);
  while (true) {
    Status status;
    switch (random.Below(5)) {
      case 0:
        status = shard.ForceMerge(1 + static_cast<uint32_t>(random.Below(3)));
        break;
      case 1:
        status = shard.CollectGarbage().status();
        break;
      case 2:
        status = shard.Refresh().status();
        break;
      default:
        status = shard.Flush();
    }
    TIERCEL_CHECK(status.ok(), status.ToString());
  }
}

[[noreturn]] void RunChild(const std::filesystem::path& directory, int pipe, uint64_t seed) {
  auto store = store::DirectoryStore::Open(directory);
  TIERCEL_CHECK(store.ok(), store.status().ToString());
  runtime::ThreadPool pool("merge", 2, 16);
  const std::unique_ptr<Shard> shard = OpenShard(**store, &pool);
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back(
        [&, writer] { WriteForever(*shard, pipe, writer, seed * 31 + static_cast<uint64_t>(writer)); });
  }
  MaintainForever(*shard, seed);
  std::abort();
}

// ---- parent ----

struct Fate {
  int64_t content = -1;
  int64_t version = 0;
  int64_t seq_no = -1;
  std::optional<int64_t> announced;  // content of an operation without an answer
};

class Parent {
 public:
  Parent(std::filesystem::path directory, uint64_t seed) : directory_(std::move(directory)), random_(seed) {}

  void Round() {
    int pipe_ends[2];
    TIERCEL_CHECK(pipe(pipe_ends) == 0);
    const uint64_t child_seed = random_.Next();
    const pid_t child = fork();
    TIERCEL_CHECK(child >= 0);
    if (child == 0) {
      close(pipe_ends[0]);
      RunChild(directory_, pipe_ends[1], child_seed);
    }
    close(pipe_ends[1]);
    const auto life = std::chrono::microseconds(random_.Below(kLongestLifeMs * 1000));
    std::thread killer([&] {
      std::this_thread::sleep_for(life);
      kill(child, SIGKILL);
    });
    Receive(pipe_ends[0]);
    killer.join();
    close(pipe_ends[0]);
    int how = 0;
    TIERCEL_CHECK(waitpid(child, &how, 0) == child);
    if (!WIFSIGNALED(how) || WTERMSIG(how) != SIGKILL) Problem("the child ended by itself");
    Check();
  }

  uint64_t problems() const { return problems_; }
  uint64_t acknowledged() const { return acknowledged_; }
  uint64_t unanswered() const { return unanswered_; }

 private:
  void Problem(const std::string& what) {
    ++problems_;
    std::fprintf(stderr, "PROBLEM: %s\n", what.c_str());
  }

  void Receive(int pipe) {
    Message message;
    while (read(pipe, &message, sizeof message) == sizeof message) {
      Fate& fate = fates_[message.id];
      if (message.kind == Message::kAnnounced) {
        fate.announced = message.content;
        continue;
      }
      ++acknowledged_;
      fate = {message.content, message.version, message.seq_no, std::nullopt};
      highest_seq_no_ = std::max(highest_seq_no_, message.seq_no);
    }
  }

  void Check() {
    auto store = store::DirectoryStore::Open(directory_);
    TIERCEL_CHECK(store.ok(), store.status().ToString());
    Report(**store, "after the kill", false);
    {
      const std::unique_ptr<Shard> shard = OpenShard(**store, nullptr);
      if (shard->Stats().max_seq_no < highest_seq_no_) Problem("sequence numbers went back");
      std::map<std::string, std::string> found = ScanAll(*shard);
      for (auto& [id, fate] : fates_) CheckFate(*shard, id, fate, found);
      for (const auto& [id, source] : found) Problem("nobody wrote " + id + " " + source);
      TIERCEL_CHECK(shard->Flush().ok());
      TIERCEL_CHECK(shard->CollectGarbage().ok());
    }
    Report(**store, "after garbage collection", true);
  }

  void Report(const store::ObjectStore& store, const std::string& when, bool orphans) {
    const auto report = VerifyShard(store, kTestPrefix);
    TIERCEL_CHECK(report.ok(), report.status().ToString());
    for (const VerifyProblem& problem : report->problems) {
      const bool fresh = problem.what.starts_with("not found");  // killed before its first manifest
      // What a kill may leave, and the next start clears away: objects nobody names yet, a write cut short.
      const bool left_by_kill = problem.what.starts_with("orphan") || problem.what.starts_with("no whole frame");
      if (fresh || (!orphans && left_by_kill)) continue;
      Problem(when + ": " + problem.object + ": " + problem.what);
    }
  }

  std::map<std::string, std::string> ScanAll(Shard& shard) {
    std::map<std::string, std::string> found;
    const auto snapshot = shard.Acquire();
    TIERCEL_CHECK(snapshot.ok(), snapshot.status().ToString());
    for (const segment::SegmentView& view : (*snapshot)->segments) {
      for (segment::DocId doc = 0; doc < view.segment->doc_count(); ++doc) {
        if (!view.IsLive(doc)) continue;
        const std::string id = view.segment->Id(doc).value();
        if (!found.emplace(id, view.segment->Source(doc).value()).second) Problem(id + " is live twice");
      }
    }
    return found;
  }

  void CheckFate(Shard& shard, int32_t number, Fate& fate, std::map<std::string, std::string>& found) {
    const std::string id = IdOf(number);
    const auto stored = shard.Get(id);
    if (!stored.ok()) return Problem(id + ": " + stored.error().ToString());
    const auto scanned = found.find(id);
    const std::string now = *stored ? (*stored)->source : "-";
    if (now != (scanned == found.end() ? "-" : scanned->second)) Problem(id + ": Get and search disagree");
    if (scanned != found.end()) found.erase(scanned);
    const auto source_of = [](int64_t content) { return content < 0 ? std::string("-") : NumberSource(content); };
    const bool as_acknowledged = now == source_of(fate.content) &&
                                 (!*stored || ((*stored)->version == fate.version && (*stored)->seq_no == fate.seq_no));
    const bool as_announced = fate.announced && now == source_of(*fate.announced);
    if (fate.announced) ++unanswered_;
    if (!as_acknowledged && !as_announced) Problem(id + " is " + now + ", acknowledged was " + source_of(fate.content));
    fate.announced.reset();
    fate.content = *stored ? std::stoll(now.substr(now.find(':') + 1)) : -1;
    if (*stored) {
      fate.version = (*stored)->version;
      fate.seq_no = (*stored)->seq_no;
    }
  }

  const std::filesystem::path directory_;
  Random random_;
  std::map<int32_t, Fate> fates_;
  int64_t highest_seq_no_ = -1;
  uint64_t problems_ = 0, acknowledged_ = 0, unanswered_ = 0;
};

}  // namespace
}  // namespace tiercel::shard

int main(int argc, char** argv) {
  uint64_t kills = 20, seed = 1;
  std::string directory = std::filesystem::temp_directory_path() / ("tiercel-kill-" + std::to_string(getpid()));
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--kills") kills = std::stoull(argv[i + 1]);
    if (flag == "--seed") seed = std::stoull(argv[i + 1]);
    if (flag == "--directory") directory = argv[i + 1];
  }
  std::filesystem::remove_all(directory);
  tiercel::shard::Parent parent(directory, seed);
  uint64_t failed = 0;
  for (uint64_t i = 0; i < kills; ++i) {
    const uint64_t before = parent.problems();
    parent.Round();
    if (parent.problems() != before) ++failed;
  }
  std::printf("%llu operations acknowledged, %llu unanswered at a kill\n%llu passed, %llu failed\n",
              static_cast<unsigned long long>(parent.acknowledged()),
              static_cast<unsigned long long>(parent.unanswered()), static_cast<unsigned long long>(kills - failed),
              static_cast<unsigned long long>(failed));
  if (failed == 0) std::filesystem::remove_all(directory);
  return failed == 0 ? 0 : 1;
}
