import type { account } from '@market-state/contracts';
import { keyDigest, secretDigest } from '@market-state/credentials';
import { type AccountUnderTest, orderFor, startAccountUnderTest } from './account-under-test';

let service: AccountUnderTest;
beforeAll(async () => {
  service = await startAccountUnderTest();
});
afterAll(() => service.stop());

/** Resolves at the first heartbeat. */
async function openWatch() {
  const caller = new AbortController();
  const stream = service.client.call.watchKeys({}, { signal: caller.signal })[Symbol.asyncIterator]();

  async function next(): Promise<account.WatchKeysResponse['message']> {
    const result = await stream.next();
    return result.done === true ? undefined : result.value.message;
  }
  /** Skips heartbeats. */
  async function nextChange(): Promise<account.KeyChanged> {
    for (;;) {
      const message = await next();
      if (message === undefined) throw new Error('the watch ended');
      if (message.$case === 'changed') return message.value;
    }
  }

  /** Next message about sessions or tenants; skips key messages, such as a concurrent expiry. */
  async function nextNews(): Promise<account.WatchKeysResponse['message']> {
    for (;;) {
      const message = await next();
      if (message === undefined) throw new Error('the watch ended');
      if (message.$case !== 'heartbeat' && message.$case !== 'changed') return message;
    }
  }

  const first = await next();
  return { first, next, nextChange, nextNews, close: () => caller.abort() };
}

/** A new key and watches that have reported its creation, so their next message is later. */
async function watchNewKey({ watches: total = 1, order = orderFor('watched') } = {}) {
  const watches = await Promise.all(Array.from({ length: total }, openWatch));
  const { key, keyId } = await service.client.call.issueKey(order);
  const change = { keyId, keyDigest: keyDigest(key) };
  for (const watch of watches) await expect(watch.nextChange()).resolves.toEqual(change);
  return { key, keyId, change, watches, watch: watches[0] as Watch };
}

type Watch = Awaited<ReturnType<typeof openWatch>>;

describe('WatchKeys', () => {
  test('starts with a heartbeat and goes on with more', async () => {
    const watch = await openWatch();
    expect(watch.first).toMatchObject({ $case: 'heartbeat' });
    await expect(watch.next()).resolves.toMatchObject({ $case: 'heartbeat' });
    watch.close();
  });

  test.each([
    ['revoked', 'UPDATE api_key SET revoked_at = now() WHERE id = $1'],
    ['narrowed', `UPDATE api_key SET scopes = '{export}' WHERE id = $1`],
    ['given an end', `UPDATE api_key SET expires_at = now() + interval '1 day' WHERE id = $1`],
    ['deleted', 'DELETE FROM api_key WHERE id = $1'],
  ])('notifies every watcher of a key that is %s by SQL', async (_how, statement) => {
    const { keyId, change, watches } = await watchNewKey({ watches: 2 });
    await service.sql(statement, [keyId]);
    for (const watch of watches) {
      await expect(watch.nextChange()).resolves.toEqual(change);
      watch.close();
    }
  });

  test('reports a revocation through another replica', async () => {
    const { keyId, change, watch } = await watchNewKey();
    await service.revokeElsewhere(keyId);
    await expect(watch.nextChange()).resolves.toEqual(change);
    watch.close();
  });

  test('reports an expired key', async () => {
    const expiresTsMs = Date.now() + service.clock.aheadMs + 3_600_000;
    const { change, watch } = await watchNewKey({ order: { ...orderFor('watched'), expiresTsMs } });
    service.clock.aheadMs += 3_600_000;
    await expect(watch.nextChange()).resolves.toEqual(change);
    watch.close();
  });

  test('reports a new key by its digest, and no use of a key', async () => {
    const { key, watch } = await watchNewKey();
    await service.verify(key);
    const last = await service.client.call.issueKey(orderFor('watched'));
    await expect(watch.nextChange()).resolves.toEqual({ keyId: last.keyId, keyDigest: keyDigest(last.key) });
    watch.close();
  });

  test('breaks when the listening connection is lost, and watches again after', async () => {
    const { keyId, change, watch } = await watchNewKey();
    const broken = expect(watch.nextChange()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
        AND application_name = 'account key listener'`,
    );
    await broken;

    let again = await openWatch().catch(() => undefined);
    while (again === undefined) again = await openWatch().catch(() => undefined);
    await service.client.call.revokeKey({ keyId, tenantId: '' });
    await expect(again.nextChange()).resolves.toEqual(change);
    again.close();
  });

  test('cannot be passed by emptying the table', async () => {
    await expect(service.ownerSql('TRUNCATE api_key')).rejects.toThrow('never truncated');
  });
});

describe('WatchKeys reports sessions and tenants', () => {
  const password = 'a quiet river 81';
  let people = 0;

  /** A session of a new account, after its own messages: the trial's plan changes its tenant. */
  async function openSession() {
    people += 1;
    const email = `person-${people}@example.org`;
    const watch = await openWatch();
    const { opened } = await service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address: `203.0.113.${people}` });
    await expect(watch.nextNews()).resolves.toEqual({ $case: 'tenantChanged', value: { tenantId: opened?.grant?.tenantId } });
    watch.close();
    const sessionDigest = secretDigest(opened?.session ?? '');
    return { email, sessionDigest, tenantId: opened?.grant?.tenantId ?? '', accountId: opened?.grant?.accountId ?? '' };
  }

  test('a logout, which may be repeated', async () => {
    const { sessionDigest } = await openSession();
    const watch = await openWatch();
    await service.accounts.call.logout({ sessionDigest, everywhere: false });
    await expect(watch.nextNews()).resolves.toEqual({ $case: 'sessionEnded', value: { sessionDigest } });
    await expect(service.accounts.call.logout({ sessionDigest, everywhere: false })).resolves.toEqual({});
    await expect(service.accounts.call.verifySession({ sessionDigest })).resolves.toEqual({ grant: undefined });
    watch.close();
  });

  test('a logout everywhere, which ends every session of the account and of no other', async () => {
    const { email, sessionDigest, tenantId, accountId } = await openSession();
    const other = await openSession();
    const { opened } = await service.accounts.call.login({ email, password, address: '203.0.113.250' });
    const second = secretDigest(opened?.session ?? '');
    const { sessions } = await service.accounts.call.getMe({ tenantId, accountId });
    expect(sessions.map((each) => each.sessionDigest).sort()).toEqual([sessionDigest, second].sort());
    const watch = await openWatch();
    await service.accounts.call.logout({ sessionDigest, everywhere: true });
    expect([await watch.nextNews(), await watch.nextNews()]).toEqual(
      expect.arrayContaining([sessionDigest, second].map((ended) => ({ $case: 'sessionEnded', value: { sessionDigest: ended } }))),
    );
    await expect(service.accounts.call.logout({ sessionDigest, everywhere: true })).resolves.toEqual({});
    await expect(service.accounts.call.verifySession({ sessionDigest: other.sessionDigest })).resolves.toMatchObject({ grant: {} });
    watch.close();
  });

  test('a session deleted by hand, and one whose account moves', async () => {
    const { sessionDigest, accountId } = await openSession();
    const watch = await openWatch();
    await service.sql('DELETE FROM session WHERE account_id = $1', [accountId]);
    await expect(watch.nextNews()).resolves.toEqual({ $case: 'sessionEnded', value: { sessionDigest } });
    watch.close();
  });

  test('a tenant that is disabled ends its sessions for good; one whose plan changes keeps them', async () => {
    const { sessionDigest, tenantId } = await openSession();
    const watch = await openWatch();
    await service.sql(`UPDATE tenant SET plan_id = 'public_pro' WHERE id = $1`, [tenantId]);
    await expect(watch.nextNews()).resolves.toEqual({ $case: 'tenantChanged', value: { tenantId } });
    await expect(service.accounts.call.verifySession({ sessionDigest })).resolves.toMatchObject({
      grant: { plan: { planId: 'public_pro', ratePerSecond: 50, burst: 200 } },
    });
    await service.sql('UPDATE tenant SET disabled = true WHERE id = $1', [tenantId]);
    const news = [await watch.nextNews(), await watch.nextNews()];
    expect(news).toEqual(
      expect.arrayContaining([
        { $case: 'sessionEnded', value: { sessionDigest } },
        { $case: 'tenantChanged', value: { tenantId } },
      ]),
    );
    await service.sql('UPDATE tenant SET disabled = false WHERE id = $1', [tenantId]);
    await expect(watch.nextNews()).resolves.toEqual({ $case: 'tenantChanged', value: { tenantId } });
    await expect(service.accounts.call.verifySession({ sessionDigest })).resolves.toEqual({ grant: undefined });
    watch.close();
  });

  test('nothing of a session that is used', async () => {
    const { sessionDigest } = await openSession();
    const watch = await openWatch();
    service.clock.aheadMs += 61_000;
    await service.accounts.call.verifySession({ sessionDigest });
    await service.accounts.call.logout({ sessionDigest, everywhere: false });
    const news = await watch.nextNews();
    expect(news).toEqual({ $case: 'sessionEnded', value: { sessionDigest } });
    watch.close();
  });

  test('sessions cannot be emptied past it', async () => {
    await expect(service.ownerSql('TRUNCATE session')).rejects.toThrow('never truncated');
  });
});
