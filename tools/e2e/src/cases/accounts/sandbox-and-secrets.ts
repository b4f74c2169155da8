import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Redis from 'ioredis';
import { databaseServices } from '@market-state/launcher';
import { ACCOUNT, type AccountApi, cookieOf, createAccountApi, withKey } from '../../system/api';
import { findCanaries, findInTables, opsPorts, readRedis } from './canaries';
import type { DefaultSystem } from '../../system/default-system';
import { youngTimes } from '../../system/young-times';

const DELAY_MS = 600_000;
const DATA = '/api/public/data';

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string; readonly security: readonly object[] }>>>
  >;
}

/** Tests of sandbox keys and of the places where secrets may appear, on a system with an hour of history. */
export function describeSandboxAndSecrets(started: () => DefaultSystem): void {
  let api: AccountApi;
  beforeAll(() => {
    api = createAccountApi(started().system);
  });

  describe('a sandbox key', () => {
    let key: string;
    beforeAll(async () => {
      const answer = await api.call('POST', `${ACCOUNT}/sandbox-keys`, undefined);
      expect(answer.status).toBe(200);
      key = String(answer.body['key']);
      expect(key).toMatch(/^msk_test_/);
    });

    const latest = async () =>
      (await api.get('/api/public/market-state/latest', withKey(key))).body as {
        packet_refs: { event_id: string; window_end_utc: string }[];
        meta: { response_semantics: object };
      };

    it('gets the newest packet whose window ended 600 s ago', async () => {
      const nowMs = Date.now();
      const body = await latest();
      const endMs = Date.parse(body.packet_refs[0]?.window_end_utc ?? '');
      expect(endMs).toBeLessThanOrEqual(Date.now() - DELAY_MS);
      expect(endMs).toBeGreaterThan(nowMs - DELAY_MS - 30_000);
      expect(body.meta.response_semantics).toMatchObject({ response_state: 'delayed_sandbox', live_current: false });
    });

    it('gets rows of that time: a book, trades and candles that join', async () => {
      const book = (await api.get(`${DATA}/book/l2/latest?depth=5`, withKey(key))).body as {
        bids: object[];
        exchange_time_utc: string;
        source_status: string;
      };
      expect(book.bids).toHaveLength(5);
      expect(Date.now() - Date.parse(book.exchange_time_utc)).toBeGreaterThanOrEqual(DELAY_MS);
      expect(Date.now() - Date.parse(book.exchange_time_utc)).toBeLessThan(DELAY_MS + 30_000);
      const trades = (await api.get(`${DATA}/trades/latest?limit=50`, withKey(key))).body as { rows: { exchange_time_utc: string }[] };
      expect(trades.rows).toHaveLength(50);
      const candles = (await api.get(`${DATA}/candles`, withKey(key))).body as { rows: { close_time_utc: string }[] };
      expect(candles.rows.length).toBeGreaterThan(10);
    });

    it.each([`${DATA}/gaps?limit=1`, '/api/public/market-state/history?limit=40', '/api/public/market-state/events/search?limit=40'])(
      'reads %s page after page',
      async (path) => {
        const seen: unknown[] = [];
        for (let cursor: string | null = '', page = 0; page < 3; page += 1) {
          expect([page, cursor]).not.toEqual([page, null]);
          const answer = await api.get(`${path}&cursor=${cursor}`, withKey(key));
          expect([page, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([page, 200, '']);
          const body = answer.body as { rows: { event_id?: string; gap_id?: string }[]; next_cursor: string | null };
          seen.push(...body.rows.map(({ event_id: eventId, gap_id: gapId }) => eventId ?? gapId));
          cursor = body.next_cursor;
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toHaveLength(3 * Number(path.split('=')[1]));
      },
    );

    it('gets no time younger than 600 s from any route, and an explanatory refusal from routes about the present', async () => {
      const document = JSON.parse((await api.get('/openapi.json')).text) as OpenApi;
      const eventId = (await latest()).packet_refs[0]?.event_id ?? '';
      // About the tenant, or the service's own operation: no market data.
      const ofTenant = ['getMe', 'listUsage', 'estimateUsage', 'getUsageReceipt', 'simulateTiers', 'listBalanceHistory'];
      const holdsItsOwnTimes = new Set([...ofTenant, 'getLatencyStatus', 'getSlaStatus']);
      const seen: Record<string, number> = {};
      const faults: string[] = [];
      for (const [path, methods] of Object.entries(document.paths)) {
        for (const [method, { operationId, security }] of Object.entries(methods)) {
          if (security.length === 0 || method !== 'get') continue;
          const query = path.endsWith('/stream/replay') ? `?start=${Date.now() - 720_000}&speed=max` : '';
          const answer = await api.get(path.replace('{event_id}', eventId).replace('{connector_id}', 'rest') + query, withKey(key));
          seen[operationId] = answer.status;
          if (answer.status === 403) expect(String(answer.body['detail'])).not.toBe('');
          else if (answer.status !== 200) faults.push(`${operationId}: ${answer.text.slice(0, 500)}`);
          const latestMs = Date.now() - DELAY_MS;
          const values = /event-stream/.test(answer.headers.get('content-type') ?? '')
            ? answer.text
                .split('\n')
                .filter((line) => line.startsWith('data: '))
                .map((line) => JSON.parse(line.slice(6)) as unknown)
            : [answer.body];
          if (!holdsItsOwnTimes.has(operationId))
            faults.push(...values.flatMap((value) => youngTimes(value, latestMs)).map((fault) => `${operationId} ${fault}`));
        }
      }
      expect(faults.slice(0, 40)).toEqual([]);
      expect(
        Object.entries(seen)
          .filter(([, status]) => status === 200)
          .map(([id]) => id),
      ).toEqual(
        expect.arrayContaining([
          'getLatest',
          'getBookL2Latest',
          'listLatestTrades',
          'listCandles',
          'listGaps',
          'getReplayWindow',
          'streamDataReplay',
          'getCatalog',
          'getDataFreshness',
        ]),
      );
      for (const refused of ['streamData', 'streamPackets', 'getDataHealth', 'listIncidents']) expect(seen[refused]).toBe(403);
    });
  });

  describe('a window that ends now', () => {
    it('is returned as far as the delay allows, and marked unfinished', async () => {
      const key = String((await api.call('POST', `${ACCOUNT}/sandbox-keys`, undefined)).body['key']);
      const nowMs = Date.now();
      const answer = await api.get(`${DATA}/replay/window?start=${nowMs - 660_000}&end=${nowMs}`, withKey(key));
      const body = answer.body as { rows: object[]; completeness: { status: string; reasons: string[] } };
      expect(body.rows.length).toBeGreaterThan(100);
      expect(youngTimes(body.rows, Date.now() - DELAY_MS)).toEqual([]);
      expect(body.completeness).toMatchObject({ status: 'partial', reasons: expect.arrayContaining(['window_not_finished']) });
    });
  });

  describe('secrets', () => {
    it('appear in no log, answer, metric, table, or Redis key or value', async () => {
      const canary = randomBytes(6).toString('hex');
      const password = `canary-${canary}-password`;
      const wrong = `canary-${canary}-wrong-one`;
      const email = `someone-${randomBytes(4).toString('hex')}@example.com`;
      const claimed = await api.call('POST', `${ACCOUNT}/auth/claim`, { email, password });
      expect(claimed.status).toBe(200);
      const session = cookieOf(claimed);
      const made = await api.call(
        'POST',
        `${ACCOUNT}/keys`,
        { name: 'canary', scopes: ['read', 'account'] },
        { ...session, 'idempotency-key': `canary-${canary}-idempotency` },
      );
      const key = String(made.body['key']);
      const sandbox = String((await api.call('POST', `${ACCOUNT}/sandbox-keys`, undefined)).body['key']);
      const junk = `msk_live_${'Z'.repeat(40)}canary`;
      const resetToken = `canary-${canary}-reset-token`;
      const said = [
        await api.call('POST', `${ACCOUNT}/auth/login`, { email, password: wrong }),
        await api.call('POST', `${ACCOUNT}/auth/claim`, { email: 'x@example.com', password, claim_token: `canary-${canary}-claim` }),
        await api.call('POST', `${ACCOUNT}/auth/claim`, { email: 'x@example.com', password, api_key: junk, extra: 1 }),
        await api.call('POST', `${ACCOUNT}/auth/password-reset/confirm`, { reset_token: resetToken, new_password: wrong }),
        await api.get('/api/public/market-state/latest', withKey(key)),
        await api.get('/api/public/market-state/latest', withKey(junk)),
        await api.get(`${ACCOUNT}/keys`, withKey(key)),
        await api.get(`${ACCOUNT}/me`, session),
        await api.get(`/no/such/route?x=${key}`, withKey(key)),
        await api.call('PATCH', `${ACCOUNT}/keys/${key}`, { name: 'x' }, session),
        await api.call('POST', `${ACCOUNT}/auth/login`, { email, password }, { 'content-type': 'text/plain' }),
      ].map(({ text, headers }) => text + JSON.stringify([...headers]));
      const secrets = {
        password,
        wrong,
        key,
        sandbox,
        junk,
        resetToken,
        claim: `canary-${canary}-claim`,
        idempotency: `canary-${canary}-idempotency`,
        session: session['cookie']?.split('=')[1] ?? '',
      };

      const logs = join(started().system.dataDir, 'logs');
      const redis = new Redis(started().system.stores.redisUrl);
      const places: Record<string, string> = { answers: said.join('\n'), redis: await readRedis(redis) };
      redis.disconnect();
      for (const [name, port] of opsPorts(logs))
        places[`metrics of ${name}`] = await fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text());
      expect(places['metrics of gateway']).toContain('http_server');
      for (const file of readdirSync(logs)) places[file] = readFileSync(join(logs, file), 'utf8');
      expect(places['gateway.log']).toContain('key accepted');
      expect(findCanaries(places, secrets)).toEqual([]);
      expect(await findInTables(started().system.stores.ownerUrl('account'), { email })).toContainEqual(
        expect.stringContaining('account.'),
      );
      for (const service of databaseServices) expect(await findInTables(started().system.stores.ownerUrl(service), secrets)).toEqual([]);
    });
  });
}
