import { account } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { testPeer, waitUntil } from '@market-state/testing';
import type { AccountUnderTest } from './account-under-test';
import { elsewhere, type LoginsUnderTest, testLogins } from './login-calls';

let service: AccountUnderTest;
let outcome: LoginsUnderTest['outcome'];
let hashes: LoginsUnderTest['hashes'];

testLogins((under) => {
  ({ service, outcome, hashes } = under);
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

test('a hundred and twenty concurrent logins from as many addresses: each is processed, or refused immediately with a retry time', async () => {
  // A client has at most a hundred calls in flight.
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

test('a flood from new addresses keeps no owner out from a known address', async () => {
  const ended = new AbortController();
  let tried = 0;
  const flood = Array.from({ length: 90 }, async () => {
    while (!ended.signal.aborted) {
      tried += 1;
      const request = { email: `flood-${tried}@example.org`, password: 'guess', address: elsewhere(tried) };
      await service.accounts.call.login(request, { deadlineMs: 5_000, signal: ended.signal }).catch(() => undefined);
    }
  });
  const outcomes: string[] = [];
  for (let index = 0; index < 8; index += 1) outcomes.push(await outcome({}));
  ended.abort();
  await Promise.all(flood);
  expect(tried).toBeGreaterThan(200);
  expect(outcomes).toEqual(Array<string>(8).fill('in'));
});

test('passwords of callers who have left are not worked on', async () => {
  const before = await hashes();
  const leaving = new AbortController();
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
