import { elsewhere, type LoginsUnderTest, testLogins } from './login-calls';

const HOUR_MS = 3_600_000;
/** Far below the defaults, to hash few passwords; an account with too many failures stays locked. */
const limits = {
  loginAccount: { max: 6, windowMs: HOUR_MS },
  loginFresh: { max: 3, windowMs: HOUR_MS },
  loginDelay: { firstMs: HOUR_MS, longestMs: HOUR_MS },
};

let outcome: LoginsUnderTest['outcome'];
let hashes: LoginsUnderTest['hashes'];

testLogins(
  (under) => {
    ({ outcome, hashes } = under);
  },
  { limits },
);

test('an attack from many addresses gets as many hashes as an account has failures and new addresses, and the owner in from where he was before', async () => {
  const before = await hashes();
  const outcomes: string[] = [];
  for (let index = 0; index < 12; index += 1) outcomes.push(await outcome({ password: 'guess', address: elsewhere(index) }));
  expect(outcomes).toEqual([...Array<string>(9).fill('login_refused'), ...Array<string>(3).fill('too_many_attempts')]);
  expect((await hashes()) - before).toBe(9);
  await expect(outcome({ address: elsewhere(2_000) })).resolves.toBe('too_many_attempts');
  await expect(outcome({})).resolves.toBe('in');
});

test('an attack from a few addresses keeps the owner out nowhere else', async () => {
  for (let attacker = 0; attacker < 3; attacker += 1) {
    for (let guess = 0; guess < 6; guess += 1) await outcome({ password: 'guess', address: elsewhere(attacker) });
  }
  await expect(outcome({ address: elsewhere(3_000) })).resolves.toBe('in');
});
