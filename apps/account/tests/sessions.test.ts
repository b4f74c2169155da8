import { randomBytes } from 'node:crypto';
import { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';

const HOUR_MS = 3_600_000;

let service: AccountUnderTest;
let people = 0;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

const PASSWORD = 'a quiet river 81';

function claimNow(): Promise<account.ClaimResponse> {
  people += 1;
  const request = {
    email: `person-${people}@example.org`,
    password: PASSWORD,
    apiKey: '',
    claimToken: '',
    address: `203.0.113.${people}`,
  };
  return service.accounts.call.claim(request);
}

async function claimed() {
  const answer = await claimNow();
  return { email: `person-${people}@example.org`, opened: answer.opened };
}

async function openSession(): Promise<{ digest: Buffer; tenantId: string; accountId: string }> {
  const { opened } = await claimNow();
  return {
    digest: secretDigest(opened?.session ?? ''),
    tenantId: opened?.grant?.tenantId ?? '',
    accountId: opened?.grant?.accountId ?? '',
  };
}
async function isOpen(sessionDigest: Buffer): Promise<boolean> {
  return (await service.accounts.call.verifySession({ sessionDigest })).grant !== undefined;
}
async function lastUsedMs(digest: Buffer): Promise<number | undefined> {
  const rows = await service.sql<{ last_used_at: Date }>('SELECT last_used_at FROM session WHERE digest = $1', [digest]);
  return rows[0]?.last_used_at.getTime();
}

test('a session ends 2 h after its last use', async () => {
  const { digest } = await openSession();
  service.clock.aheadMs += 2 * HOUR_MS - 60_000;
  await expect(isOpen(digest)).resolves.toBe(true);
  service.clock.aheadMs += 2 * HOUR_MS - 60_000;
  await expect(isOpen(digest)).resolves.toBe(true);
  service.clock.aheadMs += 2 * HOUR_MS;
  await expect(isOpen(digest)).resolves.toBe(false);
});

test('a session ends 24 h after it was opened, however much it is used', async () => {
  const { digest } = await openSession();
  for (let hour = 1; hour < 24; hour += 1) {
    service.clock.aheadMs += HOUR_MS;
    await expect(isOpen(digest)).resolves.toBe(true);
  }
  service.clock.aheadMs += HOUR_MS;
  await expect(isOpen(digest)).resolves.toBe(false);
});

test('its last use is written at most once a minute', async () => {
  const { digest } = await openSession();
  const opened = await lastUsedMs(digest);
  await isOpen(digest);
  service.clock.aheadMs += 50_000;
  await isOpen(digest);
  await expect(lastUsedMs(digest)).resolves.toBe(opened);
  service.clock.aheadMs += 11_000;
  const { grant } = await service.accounts.call.verifySession({ sessionDigest: digest });
  const used = await lastUsedMs(digest);
  expect((used ?? 0) - (opened ?? 0)).toBeGreaterThanOrEqual(61_000);
  expect(grant?.idleTsMs).toBe((used ?? 0) + 2 * HOUR_MS);
});

describe('ending one session', () => {
  test('leaves the others open, and cannot end one of another account', async () => {
    const { email, opened } = await claimed();
    const others = await Promise.all(
      [1, 2].map(() => service.accounts.call.login({ email, password: PASSWORD, address: '203.0.113.200' })),
    );
    const [own, second, third] = [opened, ...others.map((other) => other.opened)].map((each) => secretDigest(each?.session ?? ''));
    const { tenantId = '', accountId = '' } = opened?.grant ?? {};
    const { sessions } = await service.accounts.call.getMe({ tenantId, accountId });
    const idOf = (digest?: Buffer): string => sessions.find(({ sessionDigest }) => digest?.equals(sessionDigest))?.sessionId ?? '';
    expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(3);
    expect(idOf(own)).toMatch(/^ses_[0-9a-f]{32}$/);

    const stranger = await openSession();
    const unknown = { code: 'NOT_FOUND', reason: 'unknown_session' };
    await expect(service.accounts.call.endSession({ ...stranger, sessionId: idOf(second) })).rejects.toMatchObject(unknown);
    await service.accounts.call.endSession({ tenantId, accountId, sessionId: idOf(second) });
    await expect(service.accounts.call.endSession({ tenantId, accountId, sessionId: idOf(second) })).rejects.toMatchObject(unknown);
    const open = await Promise.all([own, second, third].map((digest) => isOpen(digest ?? Buffer.alloc(32))));
    expect(open).toEqual([true, false, true]);
    await expect(
      service.accounts.call.endSession({ tenantId: stranger.tenantId, accountId: '', sessionId: idOf(third) }),
    ).rejects.toMatchObject(unknown);
    await service.accounts.call.endSession({ tenantId, accountId: '', sessionId: idOf(third) });
    expect(await isOpen(third ?? Buffer.alloc(32))).toBe(false);
  });

  test('needs a tenant and a session', async () => {
    await expect(service.accounts.call.endSession({ tenantId: '', accountId: '', sessionId: '' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'tenant_id' }, { field: 'session_id' }],
    });
  });
});

test('a session that never was opens nothing, and a digest is 32 bytes', async () => {
  await expect(isOpen(randomBytes(32))).resolves.toBe(false);
  for (const sessionDigest of [Buffer.alloc(0), Buffer.alloc(31), Buffer.alloc(33)]) {
    const bad = { code: 'INVALID_ARGUMENT', faults: [{ field: 'session_digest' }] };
    await expect(service.accounts.call.verifySession({ sessionDigest })).rejects.toMatchObject(bad);
    await expect(service.accounts.call.logout({ sessionDigest, everywhere: false })).rejects.toMatchObject(bad);
  }
});

describe('GetMe', () => {
  test('returns only the tenant to a key, and also the account to a session', async () => {
    const { tenantId, accountId } = await openSession();
    const tenant = { tenantId, tenantName: `trial ${tenantId}`, plan: { planId: 'trial' }, planRenewsTsMs: 0 };
    await expect(service.accounts.call.getMe({ tenantId, accountId: '' })).resolves.toMatchObject({
      ...tenant,
      accountId: '',
      email: '',
      accountCreatedTsMs: 0,
    });
    await expect(service.accounts.call.getMe({ tenantId, accountId })).resolves.toMatchObject({
      ...tenant,
      accountId,
      email: `person-${people}@example.org`,
    });
  });

  test('returns the terms and end of the plan, like the response that opens the session', async () => {
    const { opened } = await claimNow();
    const { tenantId } = opened?.grant ?? { tenantId: '' };
    const { terms } = await service.accounts.call.getMe({ tenantId, accountId: '' });
    expect(terms).toEqual(opened?.terms);
    expect(terms).toMatchObject({ marketStateCredits: 10_000, exportCredits: 5, creditPeriod: account.CreditPeriod.IN_ALL, renewsTsMs: 0 });
    const daysLeft = ((terms?.endsTsMs ?? 0) - Date.now() - service.clock.aheadMs) / 86_400_000;
    expect(daysLeft).toBeGreaterThan(13.9);
    expect(daysLeft).toBeLessThanOrEqual(14);
    const untilMs = Math.ceil((Date.now() + service.clock.aheadMs) / 1_000) * 1_000 + 400 * 86_400_000;
    await service.sql(
      `UPDATE tenant SET plan_id = 'enterprise', renewal = 'monthly', billing_anchor = created_at, plan_until = $2,
         own_market_state_credits = 7 WHERE id = $1`,
      [tenantId, new Date(untilMs)],
    );
    const byContract = (await service.accounts.call.getMe({ tenantId, accountId: '' })).terms;
    expect(byContract).toMatchObject({
      marketStateCredits: 7,
      exportCredits: 0,
      creditPeriod: account.CreditPeriod.MONTH,
      endsTsMs: untilMs,
    });
    await service.sql(`UPDATE tenant SET plan_until = NULL WHERE id = $1`, [tenantId]);
    expect((await service.accounts.call.getMe({ tenantId, accountId: '' })).terms?.endsTsMs).toBe(0);
  });

  test('returns when the plan renews', async () => {
    const { tenantId } = await openSession();
    await service.sql(`UPDATE tenant SET plan_id = 'public_pro', renewal = 'daily', billing_anchor = created_at WHERE id = $1`, [tenantId]);
    const { planRenewsTsMs } = await service.accounts.call.getMe({ tenantId, accountId: '' });
    expect(planRenewsTsMs % 86_400_000).toBe(0);
    expect(planRenewsTsMs).toBeGreaterThan(Date.now() + service.clock.aheadMs);
  });

  test('knows no other tenant, and no account of another', async () => {
    const [one, other] = [await openSession(), await openSession()];
    for (const request of [
      { tenantId: `ten_${'0'.repeat(26)}`, accountId: '' },
      { tenantId: one.tenantId, accountId: other.accountId },
    ]) {
      await expect(service.accounts.call.getMe(request)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_tenant' });
    }
  });
});
