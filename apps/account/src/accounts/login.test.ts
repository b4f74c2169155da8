import { allowedAtMs, DEFAULT_LIMITS } from './limits';
import { decideLogin, type LoginHistory } from './login';
import { longestWait, networkSubjects } from './attempts';

const nowMs = 1_700_000_000_000;
const MINUTE_MS = 60_000;

/** Attempts one second apart, the last one `agoMs` ago. */
function attempts(total: number, agoMs: number): number[] {
  return Array.from({ length: total }, (_, index) => nowMs - agoMs - (total - 1 - index) * 1_000);
}

/** Wait after failures from an address and from other networks of its /48. */
function waitAfter(failures: number[], ofSite = failures, address = '203.0.113.7') {
  const subjects = networkSubjects('address', address, DEFAULT_LIMITS.address);
  return { addressWaitMs: longestWait([failures, ofSite].slice(0, subjects.length), subjects, nowMs) };
}

function decide(history: Partial<LoginHistory>) {
  return decideLogin({ pair: [], addressWaitMs: 0, account: [], fresh: [], isKnownAddress: false, ...history }, DEFAULT_LIMITS, nowMs);
}

test.each([
  ['4 failures of the account from the address', { pair: attempts(4, 1) }],
  ['5, the first of them 15 min ago', { pair: attempts(5, 15 * MINUTE_MS - 4_000) }],
  ['19 failures from the address', waitAfter(attempts(19, 1))],
  ['20 failures from the address, the first of them 10 min ago', waitAfter(attempts(20, 10 * MINUTE_MS - 19_000))],
  ['99 failures from the address in a day', waitAfter(attempts(99, 60 * MINUTE_MS))],
  ['49 failures of the account', { account: attempts(49, 1) }],
])('%s let the next login be tried', (_case, history) => {
  expect(decide(history)).toEqual({ type: 'allowed', asFresh: false });
});

test.each([
  ['5 failures of the account from the address', { pair: attempts(5, 1_000) }, 15 * MINUTE_MS - 5_000],
  ['20 failures from the address in 10 min', waitAfter(attempts(20, 1_000)), 10 * MINUTE_MS - 20_000],
  ['100 failures from the address in a day', waitAfter(attempts(100, 3_600_000)), 86_400_000 - 3_600_000 - 99_000],
])('%s do not, until the first of them is old enough', (_case, history, retryAfterMs) => {
  expect(decide(history)).toEqual({ type: 'refused', retryAfterMs });
});

const failedHere = { pair: attempts(1, 20_000) };

test.each([
  [50, 1_000],
  [51, 2_000],
  [55, 32_000],
  [59, 512_000],
  [60, 900_000],
  [90, 900_000],
])('%i failures of an account in an hour put its next login off by %i ms', (total, delayMs) => {
  expect(decide({ ...failedHere, account: attempts(total, 500) })).toEqual({ type: 'refused', retryAfterMs: delayMs - 500 });
  expect(decide({ ...failedHere, account: attempts(total, delayMs) })).toEqual({ type: 'allowed', asFresh: false });
});

test('an address that the owner used before does not wait for the account, but for its own failures', () => {
  expect(decide({ isKnownAddress: true, account: attempts(90, 1) })).toEqual({ type: 'allowed', asFresh: false });
  expect(decide({ isKnownAddress: true, account: attempts(90, 1), pair: attempts(5, 1_000) })).toMatchObject({ type: 'refused' });
});

test('an address that has not failed on the account does not wait for it, thirty times an hour', () => {
  expect(decide({ account: attempts(90, 1), fresh: attempts(29, 1) })).toEqual({ type: 'allowed', asFresh: true });
  expect(decide({ account: attempts(90, 1), fresh: attempts(30, 1) })).toMatchObject({ type: 'refused', retryAfterMs: 900_000 - 1 });
});

test('a limit of none allows none', () => {
  expect(allowedAtMs([], { max: 0, windowMs: MINUTE_MS }, nowMs)).toBeGreaterThan(nowMs);
});

test('a /48 of IPv6 may fail four times as often as each /64 in it', () => {
  const network = '2001:db8:1:2::/64';
  expect(decide(waitAfter(attempts(1, 1_000), attempts(79, 1_000), network))).toMatchObject({ type: 'allowed' });
  expect(decide(waitAfter(attempts(20, 1_000), attempts(20, 1_000), network))).toMatchObject({ type: 'refused' });
  expect(decide(waitAfter(attempts(1, 1_000), attempts(80, 1_000), network))).toEqual({ type: 'refused', retryAfterMs: 520_000 });
});
