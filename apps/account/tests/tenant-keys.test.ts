import { randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import { keyDigest, parseKey } from '@market-state/credentials';
import { type AccountUnderTest, orderFor, startAccountUnderTest } from './account-under-test';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const madeUpKey = `key_${'0'.repeat(26)}`;
const unknownKey = { code: 'NOT_FOUND', reason: 'unknown_key', message: 'There is no such key.', metadata: {}, faults: [] };

let service: AccountUnderTest;
let tenants = 0;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

async function newTenant(scopes = [account.Scope.READ]): Promise<{ tenantId: string; keyId: string; key: string }> {
  tenants += 1;
  return service.client.call.issueKey({ ...orderFor(`tenant ${tenants}`), scopes });
}
function nowMs(): number {
  return Date.now() + service.clock.aheadMs;
}
function create(tenantId: string, part: Partial<account.CreateKeyRequest> = {}): Promise<account.CreateKeyResponse> {
  return service.client.call.createKey({
    tenantId,
    name: 'second',
    kind: account.KeyKind.LIVE,
    scopes: [account.Scope.READ],
    expiresTsMs: 0,
    ...part,
  });
}
function update(tenantId: string, keyId: string, part: Partial<account.UpdateKeyRequest>): Promise<account.UpdateKeyResponse> {
  return service.client.call.updateKey({ tenantId, keyId, name: undefined, scopes: [], expiresTsMs: undefined, ...part });
}
function rotate(tenantId: string, keyId: string, overlapMs = DAY_MS): Promise<account.RotateKeyResponse> {
  return service.client.call.rotateKey({ tenantId, keyId, overlapMs });
}

describe('CreateKey', () => {
  test('makes a key with a name, scopes and an end, which opens its tenant', async () => {
    const { tenantId } = await newTenant();
    const expiresTsMs = nowMs() + HOUR_MS;
    const { key, record } = await create(tenantId, {
      name: 'für die Börse',
      scopes: [account.Scope.EXPORT, account.Scope.READ],
      expiresTsMs,
    });
    expect(parseKey(key)).toBe('live');
    expect(record).toMatchObject({
      name: 'für die Börse',
      scopes: [account.Scope.READ, account.Scope.EXPORT],
      expiresTsMs,
      revokedTsMs: 0,
      lastUsedTsMs: 0,
    });
    expect(record).toMatchObject({ displayFirst: key.slice(0, 12), displayLast: key.slice(-4) });
    await expect(service.verify(key)).resolves.toMatchObject({ keyId: record?.keyId, tenantId });
  });

  test('makes none for a credential that has ended or is of another tenant', async () => {
    const [own, other, narrow] = [await newTenant([account.Scope.ACCOUNT]), await newTenant([account.Scope.ACCOUNT]), await newTenant()];
    const asking = keyDigest(own.key);
    await expect(create(narrow.tenantId, { credentialDigest: keyDigest(narrow.key) })).rejects.toMatchObject({ reason: 'unauthenticated' });
    await expect(create(own.tenantId, { credentialDigest: asking })).resolves.toBeDefined();
    await expect(create(own.tenantId, { credentialDigest: keyDigest(other.key) })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      reason: 'unauthenticated',
    });
    await expect(create(own.tenantId, { credentialDigest: Buffer.alloc(31) })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'credential_digest' }],
    });
    await service.client.call.revokeKey({ keyId: own.keyId, tenantId: own.tenantId });
    await expect(create(own.tenantId, { credentialDigest: asking })).rejects.toMatchObject({ reason: 'unauthenticated' });
  });

  test('is not the only thing that an ended credential cannot do: it changes and rotates no key either', async () => {
    const own = await newTenant([account.Scope.ACCOUNT]);
    const spare = (await create(own.tenantId)).record?.keyId ?? '';
    const credentialDigest = keyDigest(own.key);
    const change = () =>
      service.client.call.updateKey({ tenantId: own.tenantId, keyId: spare, name: 'changed', scopes: [], credentialDigest });
    const rotate = () => service.client.call.rotateKey({ tenantId: own.tenantId, keyId: spare, overlapMs: 60_000, credentialDigest });
    await expect(change()).resolves.toBeDefined();
    await expect(rotate()).resolves.toBeDefined();
    await service.client.call.revokeKey({ keyId: own.keyId, tenantId: own.tenantId });
    for (const refused of [change, rotate])
      await expect(refused()).rejects.toMatchObject({ code: 'UNAUTHENTICATED', reason: 'unauthenticated' });
  });

  test.each([
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'tab\t' }],
    ['kind', { kind: account.KeyKind.UNSPECIFIED }],
    ['scopes', { scopes: [] }],
    ['scopes', { scopes: [account.Scope.UNSPECIFIED] }],
    ['expires_ts_ms', { expiresTsMs: 1 }],
  ])('refuses a bad %s', async (field, part) => {
    const { tenantId } = await newTenant();
    await expect(create(tenantId, part)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', faults: [{ field }] });
  });

  test('takes names at their bounds', async () => {
    const { tenantId } = await newTenant();
    for (const name of ['x', '🂡'.repeat(100)]) await expect(create(tenantId, { name })).resolves.toMatchObject({ record: { name } });
  });

  test('makes no tenant', async () => {
    await expect(create(`ten_${'0'.repeat(26)}`)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_tenant' });
  });

  test('stops at three active keys on a trial', async () => {
    const { tenantId } = await newTenant();
    await service.sql(`UPDATE tenant SET plan_id = 'trial' WHERE id = $1`, [tenantId]);
    const made = await Promise.allSettled(Array.from({ length: 5 }, () => create(tenantId)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    await expect(create(tenantId)).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'too_many_keys' });
  });

  test('stops at twenty active keys', async () => {
    const { tenantId } = await newTenant();
    const made = await Promise.allSettled(Array.from({ length: 25 }, () => create(tenantId)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
    await expect(create(tenantId)).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'too_many_keys' });
  });
});

describe('ListKeys', () => {
  test("lists a tenant's keys newest first, page by page, and no whole key", async () => {
    const { tenantId, keyId, key } = await newTenant();
    const made = [keyId];
    for (let index = 0; index < 4; index += 1) made.unshift((await create(tenantId)).record?.keyId ?? '');
    const listed: account.KeyRecord[] = [];
    let cursor = '';
    do {
      const page: account.ListKeysResponse = await service.client.call.listKeys({ tenantId, limit: 2, cursor });
      expect(page.keys.length).toBeLessThanOrEqual(2);
      listed.push(...page.keys);
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(listed.map((record) => record.keyId).slice(-1)).toEqual([keyId]);
    expect(new Set(listed.map((record) => record.keyId))).toEqual(new Set(made));
    expect(JSON.stringify(listed)).not.toContain(key.slice(12, -4));
  });

  test.each([
    [{ limit: 0 }, ['limit']],
    [{ limit: 1_001, cursor: 'x' }, ['limit', 'cursor']],
    [{ cursor: 'x'.repeat(10_000) }, ['cursor']],
  ])('refuses %j', async (part, fields) => {
    await expect(service.client.call.listKeys({ tenantId: 'ten_1', limit: 10, cursor: '', ...part })).rejects.toMatchObject({
      faults: fields.map((field) => ({ field })),
    });
  });
});

describe('UpdateKey', () => {
  test('changes what is set and leaves the rest', async () => {
    const { tenantId, keyId, key } = await newTenant();
    const expiresTsMs = nowMs() + HOUR_MS;
    await expect(update(tenantId, keyId, { name: 'renamed' })).resolves.toMatchObject({
      key: { name: 'renamed', scopes: [account.Scope.READ], expiresTsMs: 0 },
    });
    await expect(update(tenantId, keyId, { scopes: [account.Scope.ACCOUNT] })).resolves.toMatchObject({
      key: { name: 'renamed', scopes: [account.Scope.ACCOUNT] },
    });
    await expect(update(tenantId, keyId, { expiresTsMs })).resolves.toMatchObject({ key: { expiresTsMs } });
    await expect(service.verify(key)).resolves.toMatchObject({ scopes: [account.Scope.ACCOUNT], expiresTsMs });
    await expect(update(tenantId, keyId, { expiresTsMs: 0 })).resolves.toMatchObject({ key: { expiresTsMs: 0 } });
  });

  test('names every bad field at once', async () => {
    const { tenantId, keyId } = await newTenant();
    await expect(update(tenantId, keyId, { name: '', scopes: [account.Scope.UNSPECIFIED], expiresTsMs: 1 })).rejects.toMatchObject({
      faults: [{ field: 'name' }, { field: 'scopes' }, { field: 'expires_ts_ms' }],
    });
  });
});

test("another tenant's key is as little there as a made-up one, for every change of it", async () => {
  const [one, other] = [await newTenant(), await newTenant()];
  for (const keyId of [other.keyId, madeUpKey, 'key_\u0000', '']) {
    await expect(update(one.tenantId, keyId, { name: 'x' })).rejects.toMatchObject(unknownKey);
    await expect(rotate(one.tenantId, keyId)).rejects.toMatchObject(unknownKey);
    await expect(service.client.call.revokeKey({ keyId, tenantId: one.tenantId })).rejects.toMatchObject(unknownKey);
  }
  await expect(service.verify(other.key)).resolves.toBeDefined();
});

test('a key that has ended can be neither changed nor rotated', async () => {
  const { tenantId, keyId } = await newTenant();
  await service.client.call.revokeKey({ keyId, tenantId });
  await expect(update(tenantId, keyId, { expiresTsMs: nowMs() + HOUR_MS })).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    reason: 'key_ended',
  });
  await expect(rotate(tenantId, keyId)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'key_ended' });
});

describe('RotateKey', () => {
  test('makes a key like the old one, which opens until the overlap is over', async () => {
    const { tenantId, keyId, key } = await newTenant();
    await update(tenantId, keyId, { name: 'production', scopes: [account.Scope.READ, account.Scope.EXPORT] });
    const rotated = await rotate(tenantId, keyId, HOUR_MS);
    expect(rotated.created).toMatchObject({ name: 'production', scopes: [account.Scope.READ, account.Scope.EXPORT], expiresTsMs: 0 });
    expect(rotated.ending?.keyId).toBe(keyId);
    expect(Math.abs((rotated.ending?.expiresTsMs ?? 0) - nowMs() - HOUR_MS)).toBeLessThan(10_000);
    await expect(service.verify(rotated.key)).resolves.toBeDefined();
    await expect(service.verify(key)).resolves.toBeDefined();
    service.clock.aheadMs += HOUR_MS;
    await expect(service.verify(key)).resolves.toBeUndefined();
    await expect(service.verify(rotated.key)).resolves.toBeDefined();
  });

  test('without overlap ends the old one at once, also where it was the twentieth', async () => {
    const { tenantId, keyId, key } = await newTenant();
    for (let index = 0; index < 19; index += 1) await create(tenantId);
    await expect(rotate(tenantId, keyId, HOUR_MS)).rejects.toMatchObject({ reason: 'too_many_keys' });
    await expect(service.verify(key)).resolves.toMatchObject({ expiresTsMs: 0 });
    const rotated = await rotate(tenantId, keyId, 0);
    await expect(service.verify(key)).resolves.toBeUndefined();
    await expect(service.verify(rotated.key)).resolves.toBeDefined();
  });

  test('never lets a key live longer than it would have', async () => {
    const { tenantId, keyId } = await newTenant();
    const expiresTsMs = nowMs() + HOUR_MS;
    await update(tenantId, keyId, { expiresTsMs });
    await expect(rotate(tenantId, keyId, 30 * DAY_MS)).resolves.toMatchObject({ ending: { expiresTsMs }, created: { expiresTsMs } });
  });

  test.each([-1, 30 * DAY_MS + 1])('refuses an overlap of %i ms', async (overlapMs) => {
    const { tenantId, keyId } = await newTenant();
    await expect(rotate(tenantId, keyId, overlapMs)).rejects.toMatchObject({ faults: [{ field: 'overlap_ms' }] });
  });
});

describe('IssueSandboxKey', () => {
  test('makes a key that reads, for 200 calls in 7 days, in a tenant of its own', async () => {
    const one = await service.client.call.issueSandboxKey({ address: '192.0.2.1' });
    const other = await service.client.call.issueSandboxKey({ address: '192.0.2.1' });
    expect(parseKey(one.key)).toBe('test');
    expect(one).toMatchObject({ calls: 200, record: { kind: account.KeyKind.TEST, scopes: [account.Scope.READ] } });
    expect(Math.abs((one.record?.expiresTsMs ?? 0) - nowMs() - 7 * DAY_MS)).toBeLessThan(10_000);
    const grant = await service.verify(one.key);
    expect(grant?.plan).toEqual({ planId: 'sandbox', ratePerSecond: 10, burst: 40 });
    expect((await service.verify(other.key))?.tenantId).not.toBe(grant?.tenantId);
    const credits = await service.sql('SELECT amount::int AS amount, kind::text AS kind FROM credit_grant WHERE tenant_id = $1', [
      grant?.tenantId,
    ]);
    expect(credits).toEqual([{ amount: 200, kind: 'market_state' }]);
  });

  test.each([
    ['IPv4 address', () => '192.0.2.2'],
    ['/64', () => `2001:db8:7:7:${randomBytes(2).toString('hex')}::1`],
  ])('five a day for an %s, also concurrently, with a retry time', async (_kind, address) => {
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => service.client.call.issueSandboxKey({ address: address() })));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const error: unknown = await service.client.call.issueSandboxKey({ address: address() }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
      reason: 'too_many_sandbox_keys',
      metadata: { retry_after_s: expect.stringMatching(/^86(400|3\d\d)$/) as string },
    });
    service.clock.aheadMs += DAY_MS;
    await expect(service.client.call.issueSandboxKey({ address: address() })).resolves.toBeDefined();
  });

  test('asks for an address', async () => {
    await expect(service.client.call.issueSandboxKey({ address: '' })).rejects.toMatchObject({ faults: [{ field: 'address' }] });
  });
});

test('keys of a disabled tenant open nothing, and open again when it is restored', async () => {
  const { tenantId, key } = await newTenant();
  await service.sql('UPDATE tenant SET disabled = true WHERE id = $1', [tenantId]);
  await expect(service.verify(key)).resolves.toBeUndefined();
  await service.sql('UPDATE tenant SET disabled = false WHERE id = $1', [tenantId]);
  await expect(service.verify(key)).resolves.toBeDefined();
});
