import { randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import { keyDigest, parseKey } from '@market-state/credentials';
import { waitUntil } from '@market-state/testing';
import { type AccountUnderTest, orderFor, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

describe('IssueKey', () => {
  test('makes a well-formed key that opens what was asked for', async () => {
    const expiresTsMs = Date.now() + 3_600_000;
    const scopes = [account.Scope.AUTOMATION, account.Scope.READ, account.Scope.READ];
    const issued = await service.client.call.issueKey({ tenantName: 'first', kind: account.KeyKind.TEST, scopes, expiresTsMs });
    expect(parseKey(issued.key)).toBe('test');
    await expect(service.verify(issued.key)).resolves.toEqual({
      keyId: issued.keyId,
      tenantId: issued.tenantId,
      hasCreditCeiling: false,
      kind: account.KeyKind.TEST,
      scopes: [account.Scope.READ, account.Scope.AUTOMATION],
      expiresTsMs,
    });
  });

  test('gives keys of one tenant name to one tenant, each key its own', async () => {
    const one = await service.client.call.issueKey(orderFor('shared'));
    const other = await service.client.call.issueKey(orderFor('shared'));
    expect(other.tenantId).toBe(one.tenantId);
    expect(other.keyId).not.toBe(one.keyId);
    expect(other.key).not.toBe(one.key);
  });

  test('names every bad field at once', async () => {
    const order = { tenantName: '', kind: account.KeyKind.UNSPECIFIED, scopes: [], expiresTsMs: 1 };
    await expect(service.client.call.issueKey(order)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'tenant_name' }, { field: 'kind' }, { field: 'scopes' }, { field: 'expires_ts_ms' }],
    });
  });

  test.each([
    ['tenant_name', { tenantName: 'x'.repeat(101) }],
    ['tenant_name', { tenantName: 'with\u0000nul' }],
    ['scopes', { scopes: [account.Scope.READ, account.Scope.UNSPECIFIED] }],
    ['expires_ts_ms', { expiresTsMs: -1 }],
  ])('refuses a bad %s', async (field, part) => {
    await expect(service.client.call.issueKey({ ...orderFor('bad'), ...part })).rejects.toMatchObject({ faults: [{ field }] });
  });

  test('stops at twenty active keys, however many ask at once, and counts neither revoked nor expired ones', async () => {
    const requested = Array.from({ length: 25 }, () => service.client.call.issueKey(orderFor('crowd'), { deadlineMs: 10_000 }));
    const results = await Promise.allSettled(requested);
    const issued = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(issued).toHaveLength(20);
    expect(refused).toHaveLength(5);
    for (const error of refused) expect(error).toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'too_many_keys' });

    await service.client.call.revokeKey({ keyId: issued[0]?.keyId ?? '', tenantId: '' });
    await service.sql(`UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE id = $1`, [issued[1]?.keyId]);
    await service.client.call.issueKey(orderFor('crowd'));
    await service.client.call.issueKey(orderFor('crowd'));
    await expect(service.client.call.issueKey(orderFor('crowd'))).rejects.toMatchObject({ reason: 'too_many_keys' });
  });
});

describe('VerifyKey', () => {
  test('gives one and the same answer for an unknown, an expired and a revoked key', async () => {
    const revoked = await service.client.call.issueKey(orderFor('ended'));
    await service.client.call.revokeKey({ keyId: revoked.keyId, tenantId: '' });
    const expired = await service.client.call.issueKey(orderFor('ended'));
    await service.sql(`UPDATE api_key SET expires_at = now() WHERE id = $1`, [expired.keyId]);
    for (const digest of [randomBytes(32), keyDigest(revoked.key), keyDigest(expired.key)]) {
      await expect(service.client.call.verifyKey({ keyDigest: digest })).resolves.toEqual({ grant: undefined });
    }
  });

  test('refuses a digest that is not 32 bytes', async () => {
    await expect(service.client.call.verifyKey({ keyDigest: Buffer.alloc(31) })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'key_digest' }],
    });
  });

  test('notes the last use, at most once a minute', async () => {
    const { key, keyId } = await service.client.call.issueKey(orderFor('used'));
    const lastUsed = async (): Promise<Date | null | undefined> =>
      (await service.sql<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_key WHERE id = $1', [keyId]))[0]?.last_used_at;
    await expect(lastUsed()).resolves.toBeNull();
    await service.verify(key);
    const first = await waitUntil('the first use', async () => (await lastUsed()) ?? undefined);
    await service.verify(key);
    await expect(lastUsed()).resolves.toEqual(first);
    service.clock.aheadMs += 61_000;
    await service.verify(key);
    await waitUntil('the second use', async () => (await lastUsed())?.getTime() !== first.getTime());
  });
});

describe('NoteKeyUses', () => {
  const lastUsed = async (keyId: string): Promise<number | undefined> =>
    (
      await service.sql<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_key WHERE id = $1', [keyId])
    )[0]?.last_used_at?.getTime();
  const note = (...uses: [string, number][]) =>
    service.client.call.noteKeyUses({ uses: uses.map(([keyId, usedTsMs]) => ({ keyId, usedTsMs })) });

  test('writes each use that is later than the one known, and none after now', async () => {
    const [one, other] = [await service.client.call.issueKey(orderFor('noted')), await service.client.call.issueKey(orderFor('noted'))];
    const nowMs = Date.now() + service.clock.aheadMs;
    await note([one.keyId, nowMs - 5_000], [other.keyId, nowMs - 4_000], [`key_${'0'.repeat(26)}`, nowMs]);
    await note([one.keyId, nowMs - 6_000], [other.keyId, nowMs - 1_000]);
    expect([await lastUsed(one.keyId), await lastUsed(other.keyId)]).toEqual([nowMs - 5_000, nowMs - 1_000]);
    await note([one.keyId, nowMs + 3_600_000]);
    const written = (await lastUsed(one.keyId)) ?? 0;
    expect(written).toBeGreaterThanOrEqual(nowMs);
    expect(written).toBeLessThan(nowMs + 60_000);
  });

  test('takes a thousand at most, each with a time', async () => {
    const faults = [{ field: 'uses' }, { field: 'uses[0].used_ts_ms' }];
    const uses = Array.from({ length: 1_001 }, (_, index): [string, number] => [`key_${index}`, index === 0 ? -1 : 1]);
    await expect(note(...uses)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', faults });
  });
});

describe('RevokeKey', () => {
  test('ends a key at once, may be repeated, and keeps the time of the first', async () => {
    const { key, keyId } = await service.client.call.issueKey(orderFor('revoked'));
    const revokedAt = (): Promise<object[]> => service.sql('SELECT revoked_at FROM api_key WHERE id = $1', [keyId]);
    await service.client.call.revokeKey({ keyId, tenantId: '' });
    await expect(service.verify(key)).resolves.toBeUndefined();
    const first = await revokedAt();
    service.clock.aheadMs += 1_000;
    await service.client.call.revokeKey({ keyId, tenantId: '' });
    await expect(revokedAt()).resolves.toEqual(first);
  });

  test.each(['', 'key_unknown', `key_${'0'.repeat(26)}`, 'key_\u0000'])('does not find %j', async (keyId) => {
    await expect(service.client.call.revokeKey({ keyId, tenantId: '' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      reason: 'unknown_key',
    });
  });
});

test('a whole key is neither in the database nor in a log line nor in a metric', async () => {
  const { key } = await service.client.call.issueKey(orderFor('canary'));
  await service.verify(key);
  const secret = key.slice(12, -4);
  const rows = await service.sql<{ dump: string }>(
    `SELECT query_to_xml('SELECT * FROM tenant', true, true, '')::text || query_to_xml('SELECT * FROM api_key', true, true,
      '')::text AS dump`,
  );
  const metrics = await (await fetch(`http://127.0.0.1:${service.server.opsPort}/metrics`)).text();
  expect(rows[0]?.dump).toContain(key.slice(0, 12));
  expect(service.lines.length).toBeGreaterThan(0);
  for (const text of [rows[0]?.dump ?? '', service.lines.join(''), metrics]) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(key).toString('base64'));
    expect(text).not.toContain(Buffer.from(key).toString('hex'));
  }
});

test('says it is ready while the database answers', async () => {
  const response = await fetch(`http://127.0.0.1:${service.server.opsPort}/readyz`);
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { ready: true, checks: { postgres: true } },
  });
});

describe('a rate of a key', () => {
  const call = () => service.client.call;

  /** A key on a plan that allows 600 calls a minute. */
  async function limitedKey(callsPerMinute: number) {
    const { tenantId } = await call().issueKey(orderFor(`rated ${randomBytes(4).toString('hex')}`));
    await service.sql(`UPDATE tenant SET plan_id = 'public_builder' WHERE id = $1`, [tenantId]);
    const order = { tenantId, name: 'limited', kind: account.KeyKind.LIVE, scopes: [account.Scope.READ], expiresTsMs: 0, callsPerMinute };
    const { key, record } = await call().createKey(order);
    return { tenantId, order, key, keyId: record?.keyId ?? '', record };
  }
  const rateOf = async (key: string): Promise<account.KeyRate | undefined> => (await service.verify(key))?.ownRate;

  test('is part of the grant, is shared by the key that replaces it, and is removed from both', async () => {
    const { tenantId, key, keyId, record } = await limitedKey(60);
    expect(record).toMatchObject({ callsPerMinute: 60 });
    expect(await rateOf(key)).toEqual({ callsPerMinute: 60, keyId });
    const next = await call().rotateKey({ tenantId, keyId, overlapMs: 3_600_000 });
    expect(await rateOf(next.key)).toEqual({ callsPerMinute: 60, keyId });
    const change = { tenantId, keyId: next.created?.keyId ?? '', scopes: [] };
    await expect(call().updateKey({ ...change, callsPerMinute: 600 })).resolves.toMatchObject({ key: { callsPerMinute: 600 } });
    for (const each of [key, next.key]) expect(await rateOf(each)).toEqual({ callsPerMinute: 600, keyId });
    await call().updateKey({ ...change, name: 'another name' });
    expect(await rateOf(next.key)).toEqual({ callsPerMinute: 600, keyId });
    await call().updateKey({ ...change, callsPerMinute: 0 });
    for (const each of [key, next.key]) expect(await rateOf(each)).toBeUndefined();
    const { keys } = await call().listKeys({ tenantId, limit: 10, cursor: '' });
    expect(keys.map(({ callsPerMinute }) => callsPerMinute)).toEqual([undefined, undefined, undefined]);
  });

  test('is published to watchers, for each of its keys', async () => {
    const { tenantId, key, keyId } = await limitedKey(60);
    const next = await call().rotateKey({ tenantId, keyId, overlapMs: 3_600_000 });
    const caller = new AbortController();
    const changed = new Set<string>();
    const watching = (async () => {
      for await (const { message } of call().watchKeys({}, { signal: caller.signal }))
        if (message?.$case === 'changed') changed.add(message.value.keyDigest.toString('hex'));
    })().catch(() => undefined);
    const digests = [key, next.key].map((each) => Buffer.from(keyDigest(each)).toString('hex'));
    let rate = 61;
    await waitUntil('both keys are published', async () => {
      await call().updateKey({ tenantId, keyId, scopes: [], callsPerMinute: (rate += 1) });
      return digests.every((digest) => changed.has(digest));
    });
    caller.abort();
    await watching;
  });

  test.each([
    ['less than one call', 0],
    ['more than the plan allows', 601],
  ])('of %s is a fault among the others, which names what the plan allows', async (_what, callsPerMinute) => {
    const { order, keyId, tenantId } = await limitedKey(600);
    const fault = { field: 'calls_per_minute', message: 'must be 1 to 600, the limit of the public_builder plan' };
    await expect(call().createKey({ ...order, name: '', callsPerMinute })).rejects.toMatchObject({ faults: [{ field: 'name' }, fault] });
    if (callsPerMinute > 0)
      await expect(call().updateKey({ tenantId, keyId, scopes: [], callsPerMinute })).rejects.toMatchObject({ faults: [fault] });
  });
});
