-- Cycles through request bodies, one a line of the file named by BODIES, POSTed to PATH; or GETs the paths it lists when BODIES_ARE=paths.
-- Prints one line that a program can read: requests, errors, seconds, and latency percentiles in microseconds.
local requests, at = {}, 0
function init(args)
  local paths = os.getenv("BODIES_ARE") == "paths"
  for line in io.lines(os.getenv("BODIES")) do
    if paths then requests[#requests + 1] = wrk.format("GET", line)
    else requests[#requests + 1] = wrk.format("POST", os.getenv("REQUEST_PATH"), {["content-type"] = "application/json"}, line) end
  end
  math.randomseed(1)
  at = math.random(#requests)
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  io.write(string.format("RESULT %d %d %.6f %d %d %d\n", summary.requests, summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout,
    summary.duration / 1e6, latency:percentile(50), latency:percentile(99), latency.max))
end
