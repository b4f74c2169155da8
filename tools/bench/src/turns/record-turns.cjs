// Loaded into every process before its program (`node --require`). SIGUSR2 starts a CPU profile; the next one ends it and writes it to
// `turns-<pid>.json` in the process's folder, together with the HTTP requests served in between, by the same monotonic clock, and the
// garbage collections.
const { subscribe } = require('node:diagnostics_channel');
const { renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { constants, PerformanceObserver } = require('node:perf_hooks');

const SAMPLE_EVERY_US = 500;

let session;
let requests = [];
let collections = [];

function nowUs() {
  return Number(process.hrtime.bigint() / 1_000n);
}

subscribe('http.server.request.start', ({ request, response }) => {
  if (session === undefined) return;
  const served = { path: request.url.split('?', 1)[0], startUs: nowUs(), endUs: Infinity };
  requests.push(served);
  response.once('close', () => (served.endUs = nowUs()));
});

const collected = new PerformanceObserver((list) => {
  for (const { detail, duration } of list.getEntries())
    collections.push({ isYoung: detail.kind === constants.NODE_PERFORMANCE_GC_MINOR, ms: duration });
});

function start() {
  collections = [];
  collected.observe({ entryTypes: ['gc'] });
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US });
  session.post('Profiler.start');
}

function stop(ended) {
  ended.post('Profiler.stop', (_error, result) => {
    ended.disconnect();
    collected.disconnect();
    const file = `turns-${process.pid}.json`;
    writeFileSync(`${file}.new`, JSON.stringify({ program: process.argv[1], profile: result.profile, requests, collections }));
    renameSync(`${file}.new`, file);
    requests = [];
  });
}

process.on('SIGUSR2', () => {
  const ended = session;
  session = undefined;
  if (ended === undefined) start();
  else stop(ended);
});
