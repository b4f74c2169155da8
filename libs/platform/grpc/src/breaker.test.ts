import { type Breaker, createBreaker } from './breaker';

function breakerAt(): { breaker: Breaker; pass: (ms: number) => void; call: (failed: boolean) => boolean } {
  let clockMs = 0;
  const breaker = createBreaker(() => clockMs);
  return {
    breaker,
    pass: (ms) => void (clockMs += ms),
    call(failed) {
      const isAdmitted = breaker.admit();
      if (isAdmitted) breaker.record(failed);
      return isAdmitted;
    },
  };
}

function times(total: number, work: () => unknown): unknown[] {
  return Array.from({ length: total }, work);
}

test('half of twenty failed calls within 10 s open it for 5 s', () => {
  const { call, pass } = breakerAt();
  times(10, () => call(false));
  times(9, () => call(true));
  expect(call(true)).toBe(true);
  expect(call(false)).toBe(false);
  pass(4_999);
  expect(call(false)).toBe(false);
  pass(1);
  expect(call(false)).toBe(true);
});

test('fewer than twenty calls, or failures spread over more than 10 s, leave it closed', () => {
  const { call } = breakerAt();
  times(19, () => call(true));
  expect(call(false)).toBe(true);
  const slow = breakerAt();
  times(100, () => {
    slow.pass(600);
    expect(slow.call(true)).toBe(true);
  });
});

test('three good probes close it', () => {
  const { call, pass, breaker } = breakerAt();
  times(20, () => call(true));
  pass(5_000);
  expect(times(4, () => breaker.admit())).toEqual([true, true, true, false]);
  times(3, () => breaker.record(false));
  expect(times(5, () => call(false))).toEqual(Array(5).fill(true));
});

test('one failed probe opens it again', () => {
  const { call, pass } = breakerAt();
  times(20, () => call(true));
  pass(5_000);
  expect(call(false)).toBe(true);
  expect(call(true)).toBe(true);
  expect(call(false)).toBe(false);
  pass(5_000);
  expect(call(false)).toBe(true);
});
