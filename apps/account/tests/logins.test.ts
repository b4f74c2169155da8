import { setMaxListeners } from 'node:events';
import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { createClient } from '@market-state/grpc';
import { hash } from '@node-rs/argon2';
import { testPeer, waitUntil } from '@market-state/testing';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

const password = ' a quiet river 81 ';
const home = '203.0.113.1';
const refused = { code: 'UNAUTHENTICATED', reason: 'login_refused', message: 'Wrong email or password.', metadata: {}, faults: [] };

let service: AccountUnderTest;
let email = '';
let accountId = '';
let owners = 0;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

/** Each test has an account of its own, on a day of its own: nothing tried before counts. */
beforeEach(async () => {
  owners += 1;
  email = `Owner-${owners}@Example.org`;
  service.clock.aheadMs += 25 * 3_600_000;
  const { opened } = await service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address: home });
  accountId = opened?.grant?.accountId ?? '';
});

function login(part: Partial<account.LoginRequest> = {}): Promise<account.LoginResponse> {
  return service.accounts.call.login({ email, password, address: home, ...part }, { deadlineMs: 30_000 });
}
async function outcome(part: Partial<account.LoginRequest>): Promise<string> {
  return login(part).then(
    () => 'in',
    (error: { reason?: string }) => error.reason ?? 'unknown',
  );
}
async function hashes(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${service.server.opsPort}/metrics`)).text();
  return Number(/^account_password_hashes_total\S* (\d+)$/m.exec(text)?.[1]);
}
function elsewhere(index: number): string {
  return `198.51.${index >> 8}.${index & 255}`;
}

test('opens a session whatever the case of the email, with the password exactly as it was set', async () => {
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
  for (const part of [{ password: 'wrong' }, { email: 'nobody@example.org' }, { email: 'no\u0000body' }, { email: 'not an email' }]) {
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

  test('twenty failures from an address, over whatever emails and however its IPv6 changes within a /64', async () => {
    for (let guess = 0; guess < 20; guess += 1) {
      await expect(outcome({ email: `guess-${guess}@example.org`, address: `2001:db8:0:1::${guess + 1}` })).resolves.toBe('login_refused');
    }
    await expect(outcome({ address: '2001:db8:0:1:ffff::' })).resolves.toBe('too_many_attempts');
    await expect(outcome({ address: '2001:db8:0:2::1' })).resolves.toBe('in');
    service.clock.aheadMs += 10 * 60_000;
    await expect(outcome({ address: '2001:db8:0:1:ffff::' })).resolves.toBe('in');
  });

  test('an attack from four hundred addresses: at most 100 hashes, and the owner gets in from where he was before', async () => {
    const before = await hashes();
    const outcomes: string[] = [];
    for (let block = 0; block < 400; block += 50) {
      outcomes.push(
        ...(await Promise.all(Array.from({ length: 50 }, (_, index) => outcome({ password: 'guess', address: elsewhere(block + index) })))),
      );
    }
    expect(outcomes.filter((reason) => reason === 'login_refused').length).toBe((await hashes()) - before);
    expect((await hashes()) - before).toBeLessThanOrEqual(100);
    await expect(outcome({ address: elsewhere(2_000) })).resolves.toBe('too_many_attempts');
    await expect(outcome({})).resolves.toBe('in');
  });

  test('an attack from a few addresses keeps the owner out nowhere else', async () => {
    for (let attacker = 0; attacker < 14; attacker += 1) {
      for (let guess = 0; guess < 6; guess += 1) await outcome({ password: 'guess', address: elsewhere(attacker) });
    }
    await expect(outcome({ address: elsewhere(3_000) })).resolves.toBe('in');
  });

  test('hold in a process that was started since', async () => {
    for (let guess = 0; guess < 5; guess += 1) await outcome({ password: 'guess' });
    await service.withReplica(({ accounts }) =>
      expect(accounts.call.login({ email, password, address: home })).rejects.toMatchObject({ reason: 'too_many_attempts' }),
    );
  });

  test('a hundred and twenty at once from as many addresses: each is worked on, or told at once when to come again', async () => {
    // A client has a hundred calls in flight at most.
    const other = createClient({ definition: account.AccountServiceService, peer: testPeer('account'), address: service.server.address });
    const logins = await Promise.allSettled(
      Array.from({ length: 120 }, (_, index) =>
        (index % 2 === 0 ? service.accounts : other).call.login(
          { email: `rush-${index}@example.org`, password: 'guess', address: elsewhere(index) },
          { deadlineMs: 5_000 },
        ),
      ),
    );
    await other.close();
    const errors = logins.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as { reason: string; metadata: Record<string, string> }] : [],
    );
    const counts = errors.map(({ reason }) => reason);
    expect(counts.filter((reason) => reason !== 'login_refused' && reason !== 'password_work_full')).toEqual([]);
    expect(counts.filter((reason) => reason === 'login_refused').length).toBeGreaterThanOrEqual(4);
    for (const { reason, metadata } of errors) if (reason === 'password_work_full') expect(metadata['retry_after_s']).toMatch(/^[1-9]\d*$/);
  });

  test('passwords of callers who have left are not worked on', async () => {
    const before = await hashes();
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    const crowd = Array.from({ length: 60 }, (_, index) => {
      const request = { email: `left-${index}@example.org`, password: 'guess', address: elsewhere(4_000 + index) };
      return service.accounts.call
        .login(request, { deadlineMs: 60_000, signal: leaving.signal })
        .catch((error: { code: string }) => error.code);
    });
    await waitUntil('one that is worked on', async () => (await hashes()) > before);
    leaving.abort();
    const outcomes = await Promise.all(crowd);
    expect(outcomes.filter((code) => code === 'CANCELLED').length).toBeGreaterThan(0);
    const worked = await hashes();
    await expect(outcome({})).resolves.toBe('in');
    expect((await hashes()) - worked).toBeLessThanOrEqual(1 + 4);
    expect(worked - before).toBeLessThan(60);
  });

  test('a password that could not be worked on counts as no attempt', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        outcome({ password: 'guess', email: `crowd-${index}@example.org`, address: elsewhere(index) }),
      ),
    );
    const full = outcomes.flatMap((reason, index) => (reason === 'password_work_full' ? [index] : []));
    expect(full.length).toBeGreaterThan(0);
    expect(outcomes.length - full.length).toBe(outcomes.filter((reason) => reason === 'login_refused').length);
    for (const index of full.slice(0, 3)) {
      for (let guess = 0; guess < 5; guess += 1) {
        await expect(outcome({ password: 'guess', email: `crowd-${index}@example.org`, address: elsewhere(index) })).resolves.toBe(
          'login_refused',
        );
      }
    }
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
