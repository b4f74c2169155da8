import { createMessage, webhook } from '@market-state/contracts';
import { listWatchlists } from '../src/store/watchlists';
import { startWatchUnderTest, TENANT, type WatchUnderTest } from './watch-under-test';

const { WATCHLIST, ALERT } = webhook.WatchlistKind;
const RULE = { kind: 'state_is', params: { states: ['depth_watch'] }, cooldownSeconds: 60, minConsecutive: 2 };
const OTHER = { kind: 'severity_at_least', params: { severity_class: 'high_context' }, cooldownSeconds: 0, minConsecutive: 1 };
const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP'];

let test: WatchUnderTest;
let made = 0;

beforeAll(async () => {
  test = await startWatchUnderTest();
});

afterAll(() => test?.close());

async function create(request: Partial<webhook.CreateWatchlistRequest> = {}): Promise<webhook.Watchlist> {
  made += 1;
  const base = { tenantId: TENANT, planId: 'public_research', operationId: `op_${made}`, kind: WATCHLIST, name: `list ${made}` };
  const { watchlist } = await test.watchlists.createWatchlist({ ...base, symbols: SYMBOLS, rules: [RULE, OTHER], ...request });
  return watchlist ?? createMessage(webhook.Watchlist);
}

const keyOf = ({ watchlistId, kind }: webhook.Watchlist, tenantId = TENANT) => ({ tenantId, kind, watchlistId });
const read = async (watchlist: webhook.Watchlist) => (await test.watchlists.getWatchlist(keyOf(watchlist))).watchlist;
const change = async (watchlist: webhook.Watchlist, request: Partial<webhook.UpdateWatchlistRequest>) =>
  (await test.watchlists.updateWatchlist({ ...keyOf(watchlist), symbols: [], ...request })).watchlist;

async function faultsOf(call: Promise<unknown>): Promise<string[]> {
  return call.then(
    () => [],
    ({ faults }: { readonly faults: readonly { readonly field: string }[] }) => faults.map(({ field }) => field),
  );
}

it('shows each rule with its state on each symbol, from unknown', async () => {
  const watchlist = await create();
  expect(watchlist.watchlistId).toMatch(/^wl_/);
  expect(watchlist.rules.map(({ spec }) => spec)).toEqual([RULE, OTHER]);
  const unknown = { state: webhook.AlertState.UNKNOWN, stale: false, consecutive: 0, episodeId: '', transitions: [] };
  for (const { standings } of watchlist.rules) expect(standings).toMatchObject(SYMBOLS.map((symbol) => ({ symbol, ...unknown })));
  expect(await read(watchlist)).toEqual(watchlist);
});

it('lists an alert whole that is deleted while the list is read', async () => {
  const alert = await create({ kind: ALERT, symbols: ['BTCUSD-PERP'], rules: [RULE] });
  const deleting = {
    async query(...requested: Parameters<WatchUnderTest['pool']['query']>) {
      const answer: unknown = await test.pool.query(...requested);
      await test.pool.query('DELETE FROM watchlist WHERE watchlist_id = $1', [alert.watchlistId]);
      return answer;
    },
  } as unknown as WatchUnderTest['pool'];
  const listed = await listWatchlists(deleting, { tenantId: TENANT, kind: 'alert' }, { after: undefined, limit: 1 });
  expect(listed.map(({ watchlistId, rules }) => [watchlistId, rules.length])).toEqual([[alert.watchlistId, 1]]);
});

it('shows since when a rule stands as it does, and its last transitions, newest first', async () => {
  const watchlist = await create({ symbols: ['BTCUSD-PERP'], rules: [OTHER] });
  const ruleId = watchlist.rules[0]?.ruleId ?? '';
  const recent = [5, 4, 3, 2, 1].map((transition) => ({
    transition,
    ...(transition % 2 === 1 ? { from: 'normal', to: 'firing', phase: 'triggered' } : { from: 'firing', to: 'normal', phase: 'recovered' }),
    at_ms: transition * 10_000,
    episode_id: `epi_${Math.ceil(transition / 2)}`,
  }));
  const { rows } = await test.pool.query<{ state: object }>('SELECT state FROM rule_state WHERE rule_id = $1', [ruleId]);
  const state = { ...rows[0]?.state, state: 'firing', sinceMs: 50_000, episodeId: 'epi_3', episodeTold: true, transition: 5 };
  await test.pool.query('UPDATE rule_state SET state = $2, recent = $3 WHERE rule_id = $1', [ruleId, state, JSON.stringify(recent)]);
  const [standing] = (await read(watchlist))?.rules[0]?.standings ?? [];
  expect(standing).toMatchObject({ symbol: 'BTCUSD-PERP', state: webhook.AlertState.FIRING, sinceMs: 50_000, episodeId: 'epi_3' });
  expect(standing?.transitions.map(({ transition, phase, atMs }) => [transition, phase, atMs])).toEqual([
    [5, 'triggered', 50_000],
    [4, 'recovered', 40_000],
    [3, 'triggered', 30_000],
    [2, 'recovered', 20_000],
    [1, 'triggered', 10_000],
  ]);
  // An unchanged rule keeps its state; a changed one starts over.
  expect((await change(watchlist, { name: 'renamed', rules: { rules: [OTHER] } }))?.rules[0]?.standings).toEqual([standing]);
  const changed = await change(watchlist, { rules: { rules: [{ ...OTHER, params: { severity_class: 'critical_context' } }] } });
  expect(changed?.rules[0]?.standings[0]).toMatchObject({ state: webhook.AlertState.UNKNOWN, transitions: [] });
  const ended = await test.pool.query<{ data: object }>(
    `SELECT data FROM message WHERE tenant_id = $1 AND event_kind = 'alert.triggered'`,
    [TENANT],
  );
  expect(ended.rows.map(({ data }) => data)).toMatchObject([{ phase: 'ended', episode_id: 'epi_3', rule_id: ruleId }]);
});

it('two tenants that use the same operation id get a watchlist each', async () => {
  const operationId = 'op_shared';
  const [first, second] = [await create({ operationId }), await create({ tenantId: 'ten_second', operationId })];
  expect(second.watchlistId).not.toBe(first.watchlistId);
  expect(await create({ operationId })).toEqual(first);
  expect(await create({ tenantId: 'ten_second', operationId })).toEqual(second);
});

it('sets what a change has, and deletes once', async () => {
  const watchlist = await create();
  const changed = await change(watchlist, { name: 'other', muted: true, symbols: ['ETHUSD-PERP'] });
  expect(changed).toMatchObject({ name: 'other', muted: true, symbols: ['ETHUSD-PERP'], createdMs: watchlist.createdMs });
  expect(changed?.rules.map(({ standings }) => standings.map(({ symbol }) => symbol))).toEqual([['ETHUSD-PERP'], ['ETHUSD-PERP']]);
  expect((await change(watchlist, { rules: { rules: [] } }))?.rules).toEqual([]);
  await test.watchlists.deleteWatchlist(keyOf(watchlist));
  const gone = { code: 'NOT_FOUND', reason: 'unknown_watchlist' };
  await expect(read(watchlist)).rejects.toMatchObject(gone);
  await expect(test.watchlists.deleteWatchlist(keyOf(watchlist))).rejects.toMatchObject(gone);
});

it('makes one of twenty equal calls, and as many as the plan allows', async () => {
  const tenantId = 'ten_crowd';
  const planId = 'public_builder';
  const equal = await Promise.all(Array.from({ length: 20 }, () => create({ tenantId, planId, operationId: 'op_equal', name: 'one' })));
  expect(new Set(equal.map(({ watchlistId }) => watchlistId)).size).toBe(1);
  const others = await Promise.allSettled(Array.from({ length: 14 }, () => create({ tenantId, planId, rules: [] })));
  expect(others.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
  await expect(create({ tenantId, planId })).rejects.toMatchObject({ reason: 'too_many_watchlists', metadata: { limit: '10' } });
});

it.each([
  ['public_pro', 50],
  ['public_research', 200],
])(
  '%s allows %d',
  async (planId, limit) => {
    const tenantId = `ten_${planId}`;
    await test.pool.query(
      `INSERT INTO watchlist (watchlist_id, tenant_id, operation_id, kind, name, symbols, muted, created_ms, updated_ms)
       SELECT $1 || n, $1, 'op_' || $1 || n, 'watchlist', 'list', '["BTCUSD-PERP"]', false, 0, 0 FROM generate_series(2, $2) AS n`,
      [tenantId, limit],
    );
    await create({ tenantId, planId, symbols: ['BTCUSD-PERP'], rules: [] });
    await expect(create({ tenantId, planId })).rejects.toMatchObject({ reason: 'too_many_watchlists', metadata: { limit: String(limit) } });
  },
  60_000,
);

it('shows another tenant nothing', async () => {
  const watchlist = await create();
  const key = keyOf(watchlist, 'ten_other');
  const calls = [
    () => test.watchlists.getWatchlist(key),
    () => test.watchlists.updateWatchlist({ ...key, symbols: [], name: 'stolen' }),
    () => test.watchlists.deleteWatchlist(key),
    () => test.watchlists.getWatchlist({ ...keyOf(watchlist), kind: ALERT }),
  ];
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_watchlist' });
  const listed = await test.watchlists.listWatchlists({ tenantId: 'ten_other', kind: WATCHLIST, pageSize: 0, pageToken: '' });
  expect(listed.watchlists).toEqual([]);
  expect(await read(watchlist)).toEqual(watchlist);
});

it('lists them by pages, newest first, alerts apart', async () => {
  const tenantId = 'ten_pages';
  for (let each = 0; each < 7; each += 1) await create({ tenantId });
  const alert = await create({ tenantId, kind: ALERT, symbols: ['BTCUSD-PERP'], rules: [RULE] });
  expect(alert.watchlistId).toMatch(/^al_/);
  const seen: webhook.Watchlist[] = [];
  let pageToken = '';
  do {
    const page = await test.watchlists.listWatchlists({ tenantId, kind: WATCHLIST, pageSize: 3, pageToken });
    seen.push(...page.watchlists);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(new Set(seen.map(({ watchlistId }) => watchlistId)).size).toBe(7);
  expect(seen.map(({ createdMs }) => createdMs)).toEqual(seen.map(({ createdMs }) => createdMs).sort((one, other) => other - one));
  const alerts = await test.watchlists.listWatchlists({ tenantId, kind: ALERT, pageSize: 0, pageToken: '' });
  expect(alerts.watchlists).toEqual([alert]);
});

it('names every fault at once', async () => {
  const bad = {
    name: '',
    symbols: ['btc', 'BTCUSD-PERP', 'BTCUSD-PERP'],
    rules: [
      { ...RULE, minConsecutive: 101 },
      { ...OTHER, kind: 'x' },
    ],
  };
  const fields = await faultsOf(create(bad));
  expect(fields).toEqual(expect.arrayContaining(['name', 'symbols[0]', 'symbols']));
  expect(fields.filter((field) => field.startsWith('rules[0]'))).not.toEqual([]);
  expect(fields.filter((field) => field.startsWith('rules[1]'))).not.toEqual([]);
  expect(await faultsOf(create({ kind: ALERT }))).toEqual(expect.arrayContaining(['symbols', 'rules']));
  await expect(create({ symbols: ['SOLUSD-PERP'] })).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'unknown_symbol' });
});
