import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';
import { KEPT_WATCHLIST, RETAINED_FROM_MS } from './stand-in/watchlists';

const BASE = '/api/public/market-state';
const RULE = { kind: 'state_is', params: { states: ['depth_watch'] }, cooldown_seconds: 60, min_consecutive: 2 };
const WATCHLIST = { name: 'majors', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'], rules: [RULE] };

describe('watchlists and alerts', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  const send = (method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<RawResponse> =>
    booted.keyed(`${BASE}${path}`, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    });
  const locsOf = (response: RawResponse) => response.json<{ detail: { loc: unknown }[] }>().detail.map(({ loc }) => loc);

  it('are created once for an Idempotency-Key, read, changed and deleted', async () => {
    const made = await send('POST', '/watchlists', WATCHLIST, { 'idempotency-key': 'one' });
    expect(made.status).toBe(200);
    const { watchlist_id: id } = made.json<{ readonly watchlist_id: string }>();
    expect(made.headers['location']).toBe(`${BASE}/watchlists/${id}`);
    expect(made.json()).toMatchObject({
      name: 'majors',
      symbols: WATCHLIST.symbols,
      rules: [{ ...RULE, standings: [{ symbol: 'BTCUSD-PERP', state: 'unknown', since_utc: null, transitions: [] }, {}] }],
      muted: false,
    });
    const again = await send('POST', '/watchlists', WATCHLIST, { 'idempotency-key': 'one' });
    expect(again.text).toBe(made.text);
    expect((await send('PATCH', `/watchlists/${id}`, { muted: true, rules: [] })).json()).toMatchObject({ muted: true, rules: [] });
    expect((await send('GET', '/watchlists')).json()).toMatchObject({ watchlists: [{ watchlist_id: id, muted: true }, {}, {}] });
    expect((await send('DELETE', `/watchlists/${id}`)).status).toBe(200);
    expect((await send('GET', `/watchlists/${id}`)).status).toBe(404);
  });

  it('keep alerts apart: one symbol and one rule, found by their own routes alone', async () => {
    const made = await send('POST', '/alerts', { name: 'wake me', symbol: 'BTCUSD-PERP', rule: RULE });
    const { alert_id: id } = made.json<{ readonly alert_id: string }>();
    expect(made.json()).toMatchObject({ symbol: 'BTCUSD-PERP', rule: RULE });
    expect((await send('GET', `/alerts/${id}`)).json()).toMatchObject({ alert_id: id, name: 'wake me' });
    expect((await send('GET', `/watchlists/${id}`)).status).toBe(404);
    expect((await send('PATCH', `/alerts/${id}`, { rule: { kind: 'state_changed' } })).json()).toMatchObject({
      rule: { kind: 'state_changed', params: {}, cooldown_seconds: 0, min_consecutive: 1 },
    });
  });

  it('name every fault of every rule by its place', async () => {
    const rules = [RULE, { kind: 'state_is', params: { states: ['nonsense'] } }, { kind: 'tag_added', params: {}, min_consecutive: 2 }];
    const refused = await send('POST', '/watchlists', { ...WATCHLIST, rules });
    expect(refused.status).toBe(422);
    expect(locsOf(refused)).toEqual(
      expect.arrayContaining([
        ['body', 'rules', 1, 'params', 'states', 0],
        ['body', 'rules', 2, 'min_consecutive'],
        ['body', 'rules', 2, 'params', 'tag'],
      ]),
    );
    const mixed = await send('POST', '/watchlists', { ...WATCHLIST, symbols: ['x'], rules: [{ kind: 'nonsense' }, rules[1], rules[2]] });
    expect([mixed.status, locsOf(mixed)]).toEqual([
      422,
      expect.arrayContaining([
        ['body', 'symbols', 0],
        ['body', 'rules', 0, 'kind'],
        ['body', 'rules', 1, 'params', 'states', 0],
        ['body', 'rules', 2, 'params', 'tag'],
      ]),
    ]);
    const alert = await send('POST', '/alerts', { name: 'n', symbol: 'BTCUSD-PERP', rule: { kind: 'severity_at_least', params: {} } });
    expect([alert.status, locsOf(alert)]).toEqual([422, [['body', 'rule', 'params']]]);
  });

  it('are rehearsed, saved or not; a span that is too long says so', async () => {
    const requested = { symbols: ['BTCUSD-PERP'], rules: [RULE] };
    expect((await send('POST', '/alerts/rehearsal', requested)).json()).toMatchObject({
      packets_looked_at: 8_640,
      deliveries: 1,
      market_state_credits: 1,
      rules: [{ rule_id: null, triggered: 1, state: 'firing', notices: [{ phase: 'triggered', event_id: 'evt_1' }] }],
    });
    const { watchlist_id: id } = (await send('POST', '/watchlists', WATCHLIST)).json<{ readonly watchlist_id: string }>();
    expect((await send('POST', `/watchlists/${id}/rehearsal`)).json()).toMatchObject({ rules: [{}, {}] });
    const long = await send('POST', '/alerts/rehearsal', { ...requested, from: '2024-01-01T00:00:00Z', to: '2024-01-08T00:00:00Z' });
    expect([long.status, locsOf(long)]).toEqual([422, [['body', 'from']]]);
  });

  it('are not rehearsed on a span from before what is retained: 410 with the oldest time', async () => {
    const span = { from: '2023-12-30T00:00:00Z', to: '2023-12-31T00:00:00Z' };
    const oldest = { code: 'beyond_retention', oldest_available_utc: new Date(RETAINED_FROM_MS).toISOString() };
    for (const [path, body] of [
      ['/alerts/rehearsal', { symbols: ['BTCUSD-PERP'], rules: [RULE], ...span }],
      [`/watchlists/${KEPT_WATCHLIST}/rehearsal`, span],
    ] as const) {
      const gone = await send('POST', path, body);
      expect([gone.status, gone.json()]).toMatchObject([410, oldest]);
    }
  });

  it.each([
    ['lies wholly in the future', { from: '2099-11-01T00:00:00Z', to: '2099-11-02T00:00:00Z' }, 'from', 'in_the_future'],
    ['ends before it begins', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from', 'window'],
    ['is longer than 7 days', { from: '2026-01-01T00:00:00Z', to: '2026-01-08T00:00:01Z' }, 'to', 'window_too_long'],
  ])('are not rehearsed on a span that %s; the fault is reported with those of the rules', async (_what, span, field, type) => {
    const rehearsal = { symbols: ['BTCUSD-PERP'], rules: [{ kind: 'state_is', params: { states: ['nonsense'] } }], ...span };
    const fault = { loc: ['body', field], type };
    expect((await send('POST', '/alerts/rehearsal', rehearsal)).json()).toMatchObject({
      detail: [{ loc: ['body', 'rules', 0, 'params', 'states', 0] }, fault],
    });
    const saved = await send('POST', `/watchlists/${KEPT_WATCHLIST}/rehearsal`, span);
    expect([saved.status, saved.json()]).toMatchObject([422, { detail: [fault] }]);
  });
});
