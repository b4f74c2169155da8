-- wrk: each call with the next of the keys given behind `--`; at the end one line of JSON.
local calls, turn = {}, 0

function init(keys)
  for index, key in ipairs(keys) do
    calls[index] = wrk.format("GET", nil, { ["x-market-state-api-key"] = key })
  end
end

function request()
  turn = turn % #calls + 1
  return calls[turn]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'result {"requests":%d,"durationUs":%d,"p50Us":%d,"p99Us":%d,"bad":%d,"broken":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout))
end
