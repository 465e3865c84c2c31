#include "tiercel/runtime/cancellation.h"

namespace tiercel::runtime {

Status Cancellation::Check() const {
  if (Cancelled()) return tiercel::Cancelled("task cancelled");
  if (TimedOut()) return DeadlineExceeded("the time allowed for the task has passed");
  return {};
}

}  // namespace tiercel::runtime
