import { setTimeout as delay } from 'node:timers/promises';
import { keyOfNewTenant, operatorOf, waitUntil } from '@market-state/testing';
import { ACCOUNT, type AccountApi, type As, createAccountApi, withKey } from '../../system/api';
import { queryOf } from '../data/data-reader';
import type { DefaultSystem } from '../../system/default-system';
import type { ServedOperation } from '../../system/served-document';

const MARKET_STATE = '/api/public/market-state';
const DATA = '/api/public/data';
const SYMBOL = 'BTCUSD-PERP';
const MINUTE_MS = 60_000;
const PAGES_MAX = 200;

type Body = Readonly<Record<string, unknown>>;

/** Stable query of a list, and its rows' identity. */
interface List {
  readonly query: Readonly<Record<string, string | number>>;
  /** Rows of a small page; absent if the route has no `limit`. */
  readonly limit?: number;
  readonly rows: (body: Body) => readonly Body[];
  /** Fields that together identify a row. */
  readonly id: readonly string[];
  /** Total number of rows, if the route states it on each page. */
  readonly total?: (body: Body) => number;
  readonly mayBeEmpty?: true;
  /** A page ends with what was found within a second, however few rows. */
  readonly mayEndEarly?: true;
}

const rowsOf = ({ rows }: Body): readonly Body[] => rows as readonly Body[];

const SEARCH_RESULTS = `${MARKET_STATE}/saved-searches/{saved_search_id}/results`;

function listsAt(nowMs: number, sinceMs: number): Readonly<Record<string, List>> {
  const [from, to] = [nowMs - 12 * MINUTE_MS, nowMs - 2 * MINUTE_MS];
  return {
    [`${DATA}/candles`]: { query: { symbol: SYMBOL, tf: '1m', from: nowMs - 60 * MINUTE_MS, to }, rows: rowsOf, id: ['open_time_utc'] },
    [`${DATA}/export/jobs`]: { query: {}, limit: 2, rows: ({ jobs }) => jobs as readonly Body[], id: ['job_id'] },
    [`${DATA}/gaps`]: { query: { symbol: SYMBOL, to }, limit: 1, rows: rowsOf, id: ['gap_id'] },
    [`${DATA}/replay/window`]: {
      query: { symbol: SYMBOL, start: to - 3 * MINUTE_MS, end: to },
      rows: rowsOf,
      id: ['channel', 'sequence'],
      total: ({ completeness }) => (completeness as { rows_expected: number }).rows_expected,
    },
    [`${MARKET_STATE}/replay`]: {
      query: { symbol: SYMBOL, replay_window_seconds: 600, as_of: to },
      limit: 9,
      rows: ({ packets }) => packets as readonly Body[],
      id: ['event_id'],
    },
    [`${MARKET_STATE}/history`]: { query: { symbol: SYMBOL, from, to, as_of: to }, limit: 7, rows: rowsOf, id: ['event_id'] },
    [`${MARKET_STATE}/events/search`]: {
      query: { symbol: 'ALL', from, to, as_of: to },
      limit: 13,
      rows: rowsOf,
      id: ['event_id'],
      mayEndEarly: true,
    },
    [`${MARKET_STATE}/status/incidents`]: { query: { symbol: 'ALL', to }, limit: 1, rows: rowsOf, id: ['incident_id'], mayBeEmpty: true },
    [`${MARKET_STATE}/usage`]: {
      query: { from: sinceMs, to: nowMs },
      limit: 2,
      rows: ({ receipts }) => receipts as readonly Body[],
      id: ['receipt_id'],
    },
    [`${MARKET_STATE}/alerts`]: { query: {}, limit: 2, rows: ({ alerts }) => alerts as readonly Body[], id: ['alert_id'] },
    [`${MARKET_STATE}/saved-searches`]: {
      query: {},
      limit: 2,
      rows: ({ saved_searches: searches }) => searches as readonly Body[],
      id: ['saved_search_id'],
    },
    [SEARCH_RESULTS]: { query: { as_of: to }, limit: 13, rows: rowsOf, id: ['event_id'], mayEndEarly: true },
    [`${MARKET_STATE}/shares`]: { query: {}, limit: 2, rows: ({ shares }) => shares as readonly Body[], id: ['share_id'] },
    [`${MARKET_STATE}/watchlists`]: { query: {}, limit: 2, rows: ({ watchlists }) => watchlists as readonly Body[], id: ['watchlist_id'] },
    [`${MARKET_STATE}/webhooks`]: { query: {}, limit: 2, rows: ({ webhooks }) => webhooks as readonly Body[], id: ['webhook_id'] },
    [`${MARKET_STATE}/webhooks/deliveries`]: {
      query: { to: nowMs },
      limit: 1,
      rows: ({ attempts }) => attempts as readonly Body[],
      id: ['attempt_id'],
    },
    [`${ACCOUNT}/keys`]: { query: {}, limit: 2, rows: rowsOf, id: ['key_id'] },
    [`${ACCOUNT}/billing/invoices`]: { query: {}, limit: 2, rows: rowsOf, id: ['invoice_id'] },
    [`${ACCOUNT}/billing/orders`]: { query: {}, limit: 2, rows: rowsOf, id: ['order_id'] },
    [`${ACCOUNT}/audit-log`]: { query: {}, limit: 2, rows: rowsOf, id: ['event_id'] },
  };
}

/** The pull list of messages has no end, and so always a cursor. */
const WITHOUT_END = `${MARKET_STATE}/webhooks/events`;

function isList({ parameters, path }: ServedOperation): boolean {
  return path !== WITHOUT_END && parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'cursor');
}

/** Reads every list of the document to its end, on a system with an hour of history. */
export function describeListWalk(started: () => DefaultSystem): void {
  let api: AccountApi;
  let key: As;
  let lists: Readonly<Record<string, List>>;
  /** The full tenant's saved search, which finds ten minutes of packets. */
  let searchId: string;
  const firstCursors = new Map<string, string>();
  const paths = Object.keys(listsAt(0, 0));

  beforeAll(async () => {
    api = createAccountApi(started().system);
    const sinceMs = Date.now();
    key = await fullTenant();
    lists = listsAt(Date.now() + 1, sinceMs);
    // An unanswered test of an endpoint is retried after 5 s and later. A result already in progress is written within
    // a second.
    await delay(1_000);
  });

  /** A key with every scope, of a tenant with several keys, invoices and receipts. */
  async function fullTenant(): Promise<As> {
    const as = withKey(await keyOfNewTenant(started().system));
    for (const name of ['one', 'two', 'three', 'four'])
      expect((await api.call('POST', `${ACCOUNT}/keys`, { name, scopes: ['read'] }, as)).status).toBe(200);
    const operator = operatorOf(started().system);
    for (let order = 0; order < 5; order += 1) {
      const { body } = await api.call('POST', `${ACCOUNT}/billing/checkout-session`, { plan_id: 'topup' }, as);
      await operator.call.approveOrder({ orderId: String(body['order_id']) });
    }
    await operator.close();
    for (let job = 0; job < 3; job += 1) expect((await api.call('POST', `${DATA}/export/jobs`, undefined, as)).status).toBe(200);
    const [fromMs, toMs] = [Date.now() - 12 * MINUTE_MS, Date.now() - 2 * MINUTE_MS];
    const query = { symbol: 'ALL', from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    const search = await api.call('POST', `${MARKET_STATE}/saved-searches`, { name: 'ten minutes', query }, as);
    searchId = String(search.body['saved_search_id']);
    const old = await api.get(`${MARKET_STATE}/history?symbol=${SYMBOL}&from=${fromMs}&to=${fromMs + MINUTE_MS}&limit=1`, as);
    const shared = { event_id: rowsOf(old.body)[0]?.['event_id'] };
    for (let each = 0; each < 3; each += 1) {
      const rule = { kind: 'feed_stale', params: { seconds: 3_600 } };
      const created = [
        await api.call('POST', `${MARKET_STATE}/watchlists`, { name: `list ${each}`, symbols: [SYMBOL], rules: [rule] }, as),
        await api.call('POST', `${MARKET_STATE}/alerts`, { name: `alert ${each}`, symbol: SYMBOL, rule }, as),
        await api.call('POST', `${MARKET_STATE}/saved-searches`, { name: `search ${each}`, query: {} }, as),
        await api.call('POST', `${MARKET_STATE}/webhooks`, { url: `https://localhost:8443/${each}`, event_kinds: ['alert.triggered'] }, as),
        await api.call('POST', `${MARKET_STATE}/shares`, shared, as),
      ];
      expect(created.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
      const tested = await api.call('POST', `${MARKET_STATE}/webhooks/${String(created[3]?.body['webhook_id'])}/test`, undefined, as);
      expect(tested.status).toBe(200);
    }
    for (let call = 0; call < 7; call += 1) await api.get(`${MARKET_STATE}/latest?symbol=${SYMBOL}`, as);
    await waitUntil(
      'seven receipts',
      async () => ((await page(`${MARKET_STATE}/usage?limit=7`, as))['receipts'] as unknown[]).length === 7,
    );
    return as;
  }

  function targetOf(path: string): string {
    return path.replace('{saved_search_id}', searchId);
  }

  /** Retries while the plan's concurrency limit is reached. */
  async function paced(address: string) {
    let answer = await api.get(address, key);
    await waitUntil('a call within the limit of the plan', async () => {
      if (answer.status === 429) answer = await api.get(address, key);
      return answer.status !== 429;
    });
    return answer;
  }

  async function page(address: string, as: As): Promise<Body> {
    const { status, body, text } = await api.get(address, as);
    if (status !== 200) throw new Error(`${address} answers ${status}: ${text.slice(0, 300)}`);
    return body;
  }

  function addressOf(path: string, more: Readonly<Record<string, string | number>>): string {
    const query = { ...lists[path]?.query, ...more };
    return `${targetOf(path)}?${queryOf(query)}`;
  }

  function idsOf(path: string, body: Body): string[] {
    const list = lists[path];
    return list === undefined ? [] : list.rows(body).map((row) => list.id.map((field) => String(row[field])).join(' '));
  }

  async function walk(path: string, size: Readonly<Record<string, number>>) {
    const seen: string[] = [];
    let [pages, total]: [number, number | undefined] = [0, undefined];
    let firstCursor: string | null = null;
    for (let cursor: string | null = ''; cursor !== null && pages < PAGES_MAX; pages += 1) {
      const body: Body = await page(addressOf(path, cursor === '' ? size : { ...size, cursor }), key);
      seen.push(...idsOf(path, body));
      cursor = body['next_cursor'] as string | null;
      total = lists[path]?.total?.(body);
      if (pages === 0) firstCursor = cursor;
    }
    expect(pages).toBeLessThan(PAGES_MAX);
    return { seen, pages, total, firstCursor };
  }

  it('covers every list of the document, without twins', () => {
    const served = started()
      .served.operations.filter(isList)
      .map(({ path }) => path.replace(`${MARKET_STATE}/workspace/data`, DATA));
    expect([...new Set(served)].sort()).toEqual([...paths].sort());
  });

  it.each(paths)('%s is read to its end by cursors, with no row repeated or missing', async (path) => {
    const { limit, mayBeEmpty, mayEndEarly } = lists[path] ?? {};
    const { seen, pages, total, firstCursor } = await walk(path, limit === undefined ? {} : { limit });
    if (firstCursor !== null) firstCursors.set(path, firstCursor);
    if (mayBeEmpty !== true) expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen).size).toBe(seen.length);
    if (total !== undefined) expect(seen.length).toBe(total);
    if (limit === undefined) return;
    const whole = await walk(path, { limit: 1_000 });
    expect(seen).toEqual(whole.seen);
    const fewest = Math.max(1, Math.ceil(seen.length / limit));
    if (mayEndEarly === true) expect(pages).toBeGreaterThanOrEqual(fewest);
    else expect([pages, whole.pages]).toEqual([fewest, 1]);
  });

  it.each(paths)("%s rejects another list's cursor and a forged one, naming `cursor`", async (path) => {
    const strange = [...firstCursors].filter(([of]) => of !== path).map(([, cursor]) => cursor);
    const own = firstCursors.get(path);
    const cursors = [...strange, 'x', Buffer.from('["none"]').toString('base64url'), ...(own === undefined ? [] : [`${own}AAAA`])];
    expect(strange.length).toBeGreaterThanOrEqual(5);
    for (const cursor of cursors) {
      const { status, body } = await paced(addressOf(path, { cursor }));
      expect([cursor, status, body['detail']]).toEqual([cursor, 422, [expect.objectContaining({ loc: ['query', 'cursor'] })]]);
    }
  });

  it.each([`${MARKET_STATE}/usage`, `${ACCOUNT}/keys`, `${ACCOUNT}/billing/invoices`])(
    "%s rejects another tenant's cursor",
    async (path) => {
      const stranger = withKey(await keyOfNewTenant(started().system));
      const { status, body } = await api.get(addressOf(path, { cursor: firstCursors.get(path) ?? '' }), stranger);
      expect([status, body['detail']]).toEqual([422, [expect.objectContaining({ loc: ['query', 'cursor'] })]]);
    },
  );
}
