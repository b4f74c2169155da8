import fc from 'fast-check';
import {
  BREAKER_CALLS_MIN,
  BREAKER_OPEN_MS,
  BREAKER_PROBE_MS,
  BREAKER_PROBES,
  BREAKER_WINDOW_MS,
  createBreaker,
  type Outcome,
} from './breaker';

function breakerAt() {
  const clock = { ms: 0 };
  let opened = 0;
  const breaker = createBreaker({ monotonicMs: () => clock.ms, onOpen: () => (opened += 1) });
  return {
    clock,
    admit: () => breaker.admit(),
    opened: () => opened,
    /** Makes calls one at a time; returns how many were admitted. */
    call(times: number, outcome: Outcome): number {
      return Array.from({ length: times }, () => breaker.admit()).filter((report) => {
        report?.(outcome);
        return report !== undefined;
      }).length;
    },
  };
}

test.each([
  ['19 failed', 0, 19, 1],
  ['20 failed', 0, 20, 0],
  ['10 of 20 failed', 10, 10, 0],
  ['11 answered, 10 failed', 11, 10, 1],
  ['100 answered, 99 failed', 100, 99, 1],
  ['100 answered, 100 failed', 100, 100, 0],
])('%s: the next call is let through or not', (_name, answered, failed, next) => {
  const { call } = breakerAt();
  call(answered, 'answered');
  call(failed, 'failed');
  expect(call(1, 'answered')).toBe(next);
});

test('what callers give up counts for nothing', () => {
  const { call } = breakerAt();
  call(1_000, 'given_up');
  call(19, 'failed');
  expect(call(1, 'answered')).toBe(1);
});

test('failures more than 10 s old are forgotten', () => {
  const { clock, call } = breakerAt();
  call(19, 'failed');
  clock.ms = BREAKER_WINDOW_MS;
  call(19, 'failed');
  expect(call(1, 'answered')).toBe(1);
});

test('it is open for 5 s, then lets 3 probes through, and closes when all are answered', () => {
  const { clock, admit, call, opened } = breakerAt();
  call(20, 'failed');
  clock.ms = BREAKER_OPEN_MS - 1;
  expect(admit()).toBeUndefined();
  clock.ms = BREAKER_OPEN_MS;
  const probes = [admit(), admit(), admit()];
  expect(admit()).toBeUndefined();
  probes[0]?.('answered');
  probes[1]?.('answered');
  expect(admit()).toBeUndefined();
  probes[2]?.('answered');
  expect(call(50, 'answered')).toBe(50);
  expect(opened()).toBe(1);
});

test('a probe that fails opens it for another 5 s; one that its caller gives up makes room for another', () => {
  const { clock, admit, opened } = breakerAt();
  for (let made = 0; made < 20; made += 1) admit()?.('failed');
  clock.ms = BREAKER_OPEN_MS;
  const [first, second] = [admit(), admit(), admit()];
  first?.('given_up');
  const again = admit();
  expect(again).toBeDefined();
  second?.('failed');
  again?.('answered');
  expect(opened()).toBe(2);
  clock.ms = 2 * BREAKER_OPEN_MS - 1;
  expect(admit()).toBeUndefined();
  clock.ms = 2 * BREAKER_OPEN_MS;
  expect(admit()).toBeDefined();
});

test('a call let through before it opened says nothing when it ends later', () => {
  const { clock, admit, call, opened } = breakerAt();
  const early = Array.from({ length: 30 }, () => admit());
  call(20, 'failed');
  clock.ms = BREAKER_OPEN_MS;
  for (const report of early) report?.('failed');
  expect(call(3, 'answered')).toBe(3);
  expect(opened()).toBe(1);
});

const step = fc.oneof(
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4_000 }) }),
  fc.record({ kind: fc.constant('call' as const), outcome: fc.constantFrom<Outcome>('answered', 'failed', 'failed', 'given_up') }),
);

test('in every sequence it opens only on 20 calls with half of them failed, stays open for 5 s, and lets at most 3 probes run concurrently', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const { clock, admit, opened } = breakerAt();
      let openedAtMs = -Infinity;
      let seen: { atMs: number; outcome: Outcome }[] = [];
      for (const each of steps) {
        if (each.kind === 'wait') {
          clock.ms += each.ms;
          continue;
        }
        const before = opened();
        const report = admit();
        if (clock.ms - openedAtMs < BREAKER_OPEN_MS) expect(report).toBeUndefined();
        if (report === undefined) continue;
        report(each.outcome);
        if (each.outcome !== 'given_up') seen.push({ atMs: clock.ms, outcome: each.outcome });
        if (opened() === before) continue;
        const isFirst = openedAtMs === -Infinity;
        openedAtMs = clock.ms;
        const recent = seen.filter(({ atMs }) => clock.ms - atMs < BREAKER_WINDOW_MS);
        if (isFirst) expect(recent.length).toBeGreaterThanOrEqual(BREAKER_CALLS_MIN);
        if (isFirst) expect(recent.filter(({ outcome }) => outcome === 'failed').length * 2).toBeGreaterThanOrEqual(BREAKER_CALLS_MIN);
        seen = [];
      }
      clock.ms += BREAKER_OPEN_MS;
      expect(Array.from({ length: 10 }, () => admit()).filter((report) => report !== undefined).length).toBeGreaterThanOrEqual(
        Math.min(1, BREAKER_PROBES),
      );
    }),
    { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 30) },
  );
});

test('a probe that hangs keeps others from going for 2 s only', () => {
  const { clock, admit, call } = breakerAt();
  call(20, 'failed');
  clock.ms = BREAKER_OPEN_MS;
  const hanging = [admit(), admit(), admit()];
  expect(admit()).toBeUndefined();
  clock.ms += BREAKER_PROBE_MS - 1;
  expect(admit()).toBeUndefined();
  clock.ms += 1;
  expect(call(3, 'answered')).toBe(3);
  for (const report of hanging) report?.('failed');
  expect(call(50, 'answered')).toBe(50);
});
