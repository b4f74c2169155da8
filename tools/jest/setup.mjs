import { ModernFakeTimers } from '@jest/fake-timers';

/** Ends a hung run; not a bound on busy machines. The runner has no timeouts of its own. */
const HANG_MS = 900_000;
const CHECK_MS = 10_000;

// The runner's own fake timers lack options and asynchronous advance.
const timers = new ModernFakeTimers({ config: { fakeTimers: { enableGlobally: true } }, global: globalThis });
Object.assign(jest, {
  // Streams and fetch need the real `nextTick` and microtasks.
  useFakeTimers({ doNotFake = [], ...options } = {}) {
    timers.useFakeTimers({ ...options, doNotFake: ['nextTick', 'queueMicrotask', ...doNotFake] });
    return jest;
  },
  useRealTimers() {
    timers.useRealTimers();
    return jest;
  },
  advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
});

// Comparing four megabytes element by element takes 25 s.
expect.addEqualityTesters([(one, other) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other) ? true : undefined)]);

// Repeatedly added listeners are a leak. (Since Node 22 signals may have any number.)
process.on('warning', ({ name, stack }) => {
  if (name !== 'MaxListenersExceededWarning') return;
  process.stderr.write(`${stack}\nin ${expect.getState().testPath}\n`);
  process.exit(1);
});

let current = '';
let sinceMs = performance.now();
const now = performance.now.bind(performance);
setInterval(() => {
  const { testPath = '', currentTestName = '' } = expect.getState();
  const name = `${testPath} ${currentTestName}`;
  if (name !== current) [current, sinceMs] = [name, now()];
  if (now() - sinceMs < HANG_MS) return;
  process.stderr.write(`This test has not ended after ${HANG_MS / 60_000} minutes: ${name}\n`);
  process.exit(1);
}, CHECK_MS).unref();
