import { gunzipSync } from 'node:zlib';
import { TIMEFRAME_NAMES, TIMEFRAMES } from '@market-state/export-schema';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway, SYMBOLS } from './stand-in/boot';
import { MORE_CANDLES, SIMULATED_SYMBOL } from './stand-in/data-plane';

const DATA = '/api/public/data';
/** Answers with varying latencies. */
const UNSTEADY: ReadonlySet<string> = new Set(['/health']);

describe('market data', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  it.each([
    ['/book/l2/latest', 'Book'],
    ['/trades/latest', 'Trades'],
    ['/candles', 'Candles'],
    ['/status/freshness', 'Freshness'],
    ['/health', 'Health'],
    ['/context/active-asset', 'ActiveAssetContext'],
    ['/liquidations/context', 'LiquidationsContext'],
    ['/replay/window?start=2025-12-31T23:59:50Z', 'ReplayWindow'],
    ['/gaps', 'Gaps'],
    ['/condition', 'DataCondition'],
    ['/catalog', 'Catalog'],
    ['/status/rights', 'Rights'],
    ['/manifest', 'Manifest'],
    ['/connectors/rest/query-spec', 'ConnectorQuerySpec'],
    ['/packet-join/recipe', 'PacketJoinRecipe'],
  ])('%s keeps to its schema and to its tag', async (path, schema) => {
    const response = await booted.keyed(DATA + path);
    expect(response.status).toBe(200);
    expect(responseCheck(schema)(response.json())).toBeNull();
    expect(response.headers['etag']).toMatch(/^"[\w-]{27}"$/);
    if (UNSTEADY.has(path)) return;
    expect((await booted.keyed(DATA + path, { headers: { 'if-none-match': String(response.headers['etag']) } })).status).toBe(304);
  });

  it('gives the book to the depth asked for, with mid and spread', async () => {
    const body = (await booted.keyed(`${DATA}/book/l2/latest?depth=2&symbol=ETHUSD-PERP`)).json();
    expect(body).toMatchObject({
      symbol: 'ETHUSD-PERP',
      bids: [
        { price: '99', size: '0.5' },
        { price: '98', size: '0.5' },
      ],
      depth_requested: 2,
      depth_returned: 2,
      pass: 1,
      venue_id: '42',
      sequence: '1:42',
      exchange_time_utc: '2026-01-01T00:00:00.000Z',
      spread_bps: 200,
      mid_price: '100',
    });
  });

  it('gives trades newest first with the side that crossed, also under the earlier names', async () => {
    const body = (await booted.keyed(`${DATA}/trades/latest?limit=2`)).json();
    expect(body).toMatchObject({
      rows: [
        { pass: 1, venue_id: '100', aggressor_side: 'buy', trade_id: '1:100', side: 'buy' },
        { pass: 1, venue_id: '99', aggressor_side: 'sell', trade_id: '1:99', side: 'sell' },
      ],
      row_total: 2,
    });
  });

  it('gives liquidations newest first with their id, also under its earlier name', async () => {
    const body = (await booted.keyed(`${DATA}/liquidations/context?symbol=SIMUSD-PERP`)).json();
    const [newest, other] = [
      { pass: 1, venue_id: '1', liquidation_id: '1:1' },
      { pass: 1, venue_id: '2', liquidation_id: '1:2' },
    ];
    expect(body).toMatchObject({ rows: [newest, other], row_total: 2 });
  });

  it('gives candles with a cursor, and no price where nothing was traded', async () => {
    const body = (await booted.keyed(`${DATA}/candles?from=2026-01-01T00:00:00Z`)).json<{
      rows: Record<string, unknown>[];
      next_cursor: string | null;
    }>();
    expect(body.rows[1]).toMatchObject({ open: null, close: null, trade_total: 0, volume: '0' });
    expect(body.next_cursor).toBe(MORE_CANDLES);
    expect((await booted.keyed(`${DATA}/candles?cursor=${MORE_CANDLES}`)).json()['next_cursor']).toBeNull();
  });

  it('says of a window that holds nothing that nothing is kept of it, and how fresh the symbol is', async () => {
    const response = await booted.keyed(`${DATA}/candles?from=2020-01-01T00:00:00Z&to=2025-12-31T00:01:00Z`);
    const body = response.json<{ meta: { response_semantics: unknown } }>();
    expect(responseCheck('Candles')(body)).toBeNull();
    expect(body).toMatchObject({
      rows: [],
      next_cursor: null,
      source_status: 'fresh',
      source: { kind: 'recorded', detail: 'The newest rows are within their staleness limit. No data is retained for this window.' },
    });
    expect(body.meta.response_semantics).toMatchObject({
      freshness_state: 'fresh',
      live_current: false,
      status_text: expect.stringContaining('No data is retained for this window.'),
    });
  });

  it.each(TIMEFRAME_NAMES)('asks for candles of %s', async (tf) => {
    const body = (await booted.keyed(`${DATA}/candles?tf=${tf}&from=0`)).json<{
      tf: string;
      rows: { open_time_utc: string; close_time_utc: string }[];
    }>();
    expect(body.tf).toBe(tf);
    const [first] = body.rows;
    expect(Date.parse(first?.close_time_utc ?? '') - Date.parse(first?.open_time_utc ?? '')).toBe(TIMEFRAMES[tf]);
  });

  it('lists the timeframes to one that there is not', async () => {
    const response = await booted.keyed(`${DATA}/candles?tf=2m`);
    expect(response.status).toBe(422);
    expect(response.json()).toEqual({
      detail: [{ loc: ['query', 'tf'], msg: expect.stringContaining('1m, 5m, 15m, 1h, 4h, 1d'), type: 'enum' }],
      fault_total: 1,
    });
  });

  it('gives null and missing, never zero, for a channel that the venue does not report', async () => {
    const { channels } = (await booted.keyed(`${DATA}/status/freshness`)).json<{ channels: Record<string, unknown>[] }>();
    expect(channels[2]).toEqual({
      channel: 'context',
      reported: false,
      absence: 'not_in_this_source',
      venue_clock_ahead: false,
      clock_skew_ms: null,
      seam_total_24h: null,
      last_exchange_time_utc: null,
      last_received_time_utc: null,
      freshness_ms: null,
      staleness_limit_ms: 120_000,
      state: 'missing',
      gap_total_24h: null,
    });
  });

  it('lists in the catalog the packets that labeling has archived', async () => {
    const { symbols } = (await booted.keyed(`${DATA}/catalog`)).json<{ symbols: { channels: Record<string, unknown>[] }[] }>();
    const packets = symbols.map(({ channels }) => channels.find(({ channel }) => channel === 'packets'));
    expect(packets[0]).toMatchObject({
      archive_hour_total: 2,
      archive_row_total: 720,
      archive_bytes: 1_000_000,
      hot_from_utc: '1970-01-01T02:00:00.000Z',
    });
  });

  it('names the symbols served when one is not', async () => {
    const response = await booted.keyed(`${DATA}/book/l2/latest?symbol=DOGEUSD-PERP`);
    expect(response.status).toBe(404);
    expect(response.json()).toMatchObject({ code: 'unknown_symbol', symbols_served: [...SYMBOLS, SIMULATED_SYMBOL] });
  });

  it('compresses a body worth it', async () => {
    const plain = await booted.keyed(`${DATA}/book/l2/latest?depth=40`);
    const gzip = await booted.keyed(`${DATA}/book/l2/latest?depth=40`, { headers: { 'accept-encoding': 'gzip' } });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
  });

  it('carries the request id to the data plane', async () => {
    await booted.keyed(`${DATA}/trades/latest`, { headers: { 'x-request-id': 'trace-me.2' } });
    expect(booted.dataPlane.requestIds()).toContain('trace-me.2');
  });

  it('answers health with 200 while parts are down', async () => {
    booted.dataPlane.setDown('recorder', true);
    const response = await booted.keyed(`${DATA}/health`);
    booted.dataPlane.setDown('recorder', false);
    expect(response.status).toBe(200);
    expect(response.json()).toMatchObject({ status: 'degraded', symbol: 'ALL', venue: 'multiple' });
    expect(response.json<{ components: unknown[] }>().components).toContainEqual({
      component: 'recorder',
      kind: 'service',
      healthy: false,
      latency_ms: 0.4,
      detail: 'It does not answer.',
    });
  });

  it('names the symbol whose feed does not work in a degraded health, and leaves the service ready', async () => {
    booted.dataPlane.setDown(`feed:${SIMULATED_SYMBOL}`, true);
    const response = await booted.keyed(`${DATA}/health`);
    const ready = await booted.get('/readyz');
    booted.dataPlane.setDown(`feed:${SIMULATED_SYMBOL}`, false);
    const { components } = response.json<{ components: { component: string; detail: string | null }[] }>();
    expect(response.json()).toMatchObject({
      status: 'degraded',
      source_status: 'fresh',
      source: { detail: `Unhealthy: feed:${SIMULATED_SYMBOL}.` },
    });
    expect(components.filter(({ detail }) => detail !== null).map(({ component }) => component)).toEqual([`feed:${SIMULATED_SYMBOL}`]);
    expect(ready.status).toBe(200);
  });

  it('answers 503 with Retry-After while a service is down', async () => {
    booted.dataPlane.setDown('feed', true);
    const response = await booted.keyed(`${DATA}/book/l2/latest`);
    booted.dataPlane.setDown('feed', false);
    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.json()).toMatchObject({ code: 'upstream_unavailable' });
  });

  it('answers 504 with Retry-After when a service misses its deadline', async () => {
    booted.dataPlane.setHanging(true);
    const response = await booted.keyed(`${DATA}/trades/latest`);
    booted.dataPlane.setHanging(false);
    expect(response.status).toBe(504);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.json()).toMatchObject({ code: 'upstream_deadline' });
  });

  it('reports the clock of each row, and where the venue’s is ahead of the receiver’s', async () => {
    const { rows } = (await booted.keyed(`${DATA}/trades/latest?limit=2`)).json<{
      readonly rows: readonly Readonly<Record<string, unknown>>[];
    }>();
    const [newest, before] = rows;
    const aheadMs = Date.parse(String(newest?.['exchange_time_utc'])) - Date.parse(String(newest?.['received_time_utc']));
    expect(aheadMs).toBeGreaterThan(0);
    expect(newest).toMatchObject({ venue_clock_ahead: true, clock_skew_ms: aheadMs });
    expect(before).toMatchObject({ received_time_utc: expect.any(String), venue_clock_ahead: false, clock_skew_ms: null });
    expect((await booted.keyed(`${DATA}/book/l2/latest`)).json()).toMatchObject({ venue_clock_ahead: false, clock_skew_ms: null });
    const candles = (await booted.keyed(`${DATA}/candles`)).json<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>();
    expect(candles.rows.map(({ trade_total: total, last_received_time_utc: at }) => [total === 0, at === null])).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});
