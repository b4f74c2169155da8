import { isDeepStrictEqual } from 'node:util';
import { secretDigest } from '@market-state/credentials';
import { waitUntil } from '@market-state/testing';
import { hash } from '@node-rs/argon2';
import type { AccountUnderTest } from './account-under-test';
import { elsewhere, home, type LoginsUnderTest, password, testLogins } from './login-calls';

const refused = {
  code: 'UNAUTHENTICATED',
  reason: 'login_refused',
  message: 'Wrong email, password or authentication code.',
  metadata: {},
  faults: [],
};

let service: AccountUnderTest;
let email = '';
let accountId = '';
let login: LoginsUnderTest['login'];
let outcome: LoginsUnderTest['outcome'];
let hashes: LoginsUnderTest['hashes'];

testLogins((under) => {
  ({ service, email, accountId, login, outcome, hashes } = under);
});

test('opens a session with any case of the email, but only with the exact password', async () => {
  const { opened } = await login({ email: email.toUpperCase() });
  expect(opened?.session).toMatch(/^[0-9A-Za-z_-]{43}$/);
  const lifeMs = (opened?.grant?.expiresTsMs ?? 0) - Date.now() - service.clock.aheadMs;
  expect(lifeMs).toBeGreaterThan(86_390_000);
  expect(lifeMs).toBeLessThanOrEqual(86_400_000);
  expect((opened?.grant?.expiresTsMs ?? 0) - (opened?.grant?.idleTsMs ?? 0)).toBe(22 * 3_600_000);
  await expect(login({ password: password.trim() })).rejects.toMatchObject(refused);
  await expect(login({ password: password.toUpperCase() })).rejects.toMatchObject(refused);
});

test('an unknown email, a text that is no email and a disabled tenant get the answer of a wrong password, each for one hash', async () => {
  for (const part of [{ password: 'wrong' }, { email: 'unknown@example.org' }, { email: 'no\u0000body' }, { email: 'not an email' }]) {
    const before = await hashes();
    await expect(login(part)).rejects.toMatchObject(refused);
    expect({ part, hashed: (await hashes()) - before }).toEqual({ part, hashed: 1 });
  }
  await service.sql('UPDATE tenant SET disabled = true WHERE id = (SELECT tenant_id FROM account WHERE id = $1)', [accountId]);
  await expect(login()).rejects.toMatchObject(refused);
});

test.each([
  ['all', { email: 'ab', password: '', address: '' }, ['email', 'password', 'address']],
  ['a long email', { email: 'x'.repeat(255) }, ['email']],
  ['a long password', { password: 'x'.repeat(257) }, ['password']],
])('names %s', async (_what, part, fields) => {
  await expect(login(part)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', faults: fields.map((field) => ({ field })) });
});

test.each([
  ['email', { email: 'abc' }],
  ['email', { email: 'x'.repeat(254) }],
  ['password', { password: 'x' }],
  ['password', { password: 'é'.repeat(256) }],
])('takes a %s at its bounds', async (_field, part) => {
  await expect(login(part)).rejects.toMatchObject({ reason: 'login_refused' });
});

test('a hash of weaker parameters is replaced at login', async () => {
  await service.sql('UPDATE account SET password_hash = $1 WHERE id = $2', [
    await hash(Buffer.from(password), { memoryCost: 8_192, timeCost: 1, parallelism: 1 }),
    accountId,
  ]);
  await login();
  const rows = await service.sql<{ password_hash: string }>('SELECT password_hash FROM account WHERE id = $1', [accountId]);
  expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  await expect(login()).resolves.toBeDefined();
});

describe('limits', () => {
  test('five failures of an account from an address, also at once, then none is worked on for 15 min; the right password from elsewhere gets in', async () => {
    const before = await hashes();
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => outcome({ password: 'guess' })));
    expect(outcomes.sort()).toEqual([...Array<string>(5).fill('login_refused'), ...Array<string>(7).fill('too_many_attempts')]);
    expect((await hashes()) - before).toBe(5);
    await expect(login()).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      metadata: { retry_after_s: expect.stringMatching(/^(900|89\d)$/) as string },
    });
    await expect(outcome({ address: elsewhere(1) })).resolves.toBe('in');
    service.clock.aheadMs += 15 * 60_000;
    await expect(outcome({})).resolves.toBe('in');
  });

  test('a right password forgets the failures of the account from that address', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let guess = 0; guess < 4; guess += 1) await expect(outcome({ password: 'guess' })).resolves.toBe('login_refused');
      await expect(outcome({})).resolves.toBe('in');
    }
  });

  test('twenty failures from an address, over any emails and any IPv6 addresses within a /64', async () => {
    for (let guess = 0; guess < 20; guess += 1) {
      await expect(outcome({ email: `guess-${guess}@example.org`, address: `2001:db8:0:1::${guess + 1}` })).resolves.toBe('login_refused');
    }
    await expect(outcome({ address: '2001:db8:0:1:ffff::' })).resolves.toBe('too_many_attempts');
    await expect(outcome({ address: '2001:db8:0:2::1' })).resolves.toBe('in');
    service.clock.aheadMs += 10 * 60_000;
    await expect(outcome({ address: '2001:db8:0:1:ffff::' })).resolves.toBe('in');
  });

  test('hold in a process that was started since', async () => {
    for (let guess = 0; guess < 5; guess += 1) await outcome({ password: 'guess' });
    await service.withReplica(({ accounts }) =>
      expect(accounts.call.login({ email, password, address: home })).rejects.toMatchObject({ reason: 'too_many_attempts' }),
    );
  });

  test('a password for which the caller leaves no time is not worked on, and counts as no attempt', async () => {
    const counted = () =>
      service.sql("SELECT subject, stamps FROM throttle WHERE scope = 'login_pair' AND stamps <> '{}' ORDER BY subject");
    const before = { hashes: await hashes(), counted: await counted() };
    for (let guess = 0; guess < 6; guess += 1) await expect(login({ password: 'guess' }, 500)).rejects.toBeDefined();
    // Attempts are withdrawn asynchronously.
    await waitUntil('the attempts are withdrawn', async () => isDeepStrictEqual(await counted(), before.counted));
    expect(await hashes()).toBe(before.hashes);
    for (let guess = 0; guess < 5; guess += 1) await expect(outcome({ password: 'guess' })).resolves.toBe('login_refused');
    await expect(outcome({ password: 'guess' })).resolves.toBe('too_many_attempts');
  });
});

test('sessions of an account end with the oldest beyond ten', async () => {
  const sessions: string[] = [];
  for (let index = 0; index < 12; index += 1) {
    service.clock.aheadMs += 10;
    sessions.push((await login({ address: elsewhere(index) })).opened?.session ?? '');
  }
  const open = await Promise.all(
    sessions.map(
      async (session) => (await service.accounts.call.verifySession({ sessionDigest: secretDigest(session) })).grant !== undefined,
    ),
  );
  expect(open).toEqual([false, false, ...Array<boolean>(10).fill(true)]);
  expect(new Set(sessions).size).toBe(12);
});
