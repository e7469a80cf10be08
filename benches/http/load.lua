-- Asks for the targets in turn, for the callers in turn, as often as there is time. All requests are made before the
-- clock starts, so that the client costs as little as it can.
--
-- Arguments: a file of targets, what to put before each of them, a file of callers, the header that names a
-- caller, then any number of further headers.

local requests = {}
local at = 0

local function lines(path)
  local all = {}
  for line in io.lines(path) do
    all[#all + 1] = line
  end
  return all
end

function init(args)
  local targets, before = lines(args[1]), args[2]
  local callers, header = lines(args[3]), args[4]
  local headers = {}
  for i = 5, #args do
    local name, value = args[i]:match("^(.-): (.*)$")
    headers[name] = value
  end
  for i = 0, math.max(#targets, #callers) - 1 do
    headers[header] = callers[i % #callers + 1]
    requests[i + 1] = wrk.format("GET", before .. targets[i % #targets + 1], headers)
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end

-- One line for the program that started this.
function done(summary, latency)
  local errors = summary.errors
  local sockets = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("measured %d %d %d %d %d\n", summary.requests, summary.duration,
    latency:percentile(99), errors.status, sockets))
end
