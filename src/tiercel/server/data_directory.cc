#include "tiercel/server/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

namespace tiercel::server {
namespace {

std::string ErrorText() { return std::strerror(errno); }

}  // namespace

Result<DataDirectory> DataDirectory::Open(const std::string& path, Random& random) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return Unavailable("cannot create the data directory [" + path + "]: " + error.message());
  const std::string lock_path = path + "/node.lock";
  const int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return Unavailable("cannot open [" + lock_path + "]: " + ErrorText());
  DataDirectory directory(path, lock);
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    return Unavailable("the data directory [" + path + "] is in use by another process (lock on [" + lock_path +
                       "]: " + ErrorText() + ")");
  }
  TIERCEL_TRY(directory.LoadIdentity(random));
  return directory;
}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      node_id_(std::move(other.node_id_)),
      cluster_uuid_(std::move(other.cluster_uuid_)) {}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) close(lock_);
}

Status DataDirectory::LoadIdentity(Random& random) {
  const std::string file = path_ + "/node.identity";
  if (std::ifstream in(file); in) {
    if (!std::getline(in, node_id_) || !std::getline(in, cluster_uuid_) || node_id_.empty() || cluster_uuid_.empty()) {
      return Corruption("[" + file + "] must hold the node id and the cluster uuid, one a line");
    }
    return {};
  }
  node_id_ = random.Uuid();
  cluster_uuid_ = random.Uuid();
  const std::string scratch = file + ".new";
  {
    std::ofstream out(scratch, std::ios::trunc);
    out << node_id_ << '\n' << cluster_uuid_ << '\n';
    if (!out.flush()) return Unavailable("cannot write [" + scratch + "]: " + ErrorText());
  }
  std::error_code error;
  std::filesystem::rename(scratch, file, error);
  if (error) return Unavailable("cannot write [" + file + "]: " + error.message());
  return {};
}

}  // namespace tiercel::server
