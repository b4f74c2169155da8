import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONNECTOR_IDS } from '../src/routes/data/get-connector-query-spec';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { type ConnectorRuns, connectorRuns, type ConnectorSpec, ROW_CHANNELS } from './stand-in/connector-runs';
import { SIMULATED_SYMBOL } from './stand-in/data-plane';
import { FEED_CLOCK_MS } from './stand-in/made-rows';
import { logRow } from './stand-in/row-log';
import { runBash, runPython, runUntil, type SnippetFolder } from './stand-in/run-snippet';

const FROM_UTC = '2025-12-31T23:00:00.000Z';
const TO_UTC = '2025-12-31T23:01:00.000Z';
const WINDOW = `from=${FROM_UTC}&to=${TO_UTC}`;
const CONNECTORS = ['rest', 'python', 'duckdb', 'csv', 'parquet'];

describe('connector query specs', () => {
  let booted: BootedGateway;
  let place: SnippetFolder;
  let runs: ConnectorRuns;
  beforeAll(async () => {
    booted = await bootGateway();
    place = { folder: await mkdtemp(join(tmpdir(), 'market-state-snippets-')), key: booted.key };
    runs = connectorRuns(booted, place);
  });
  afterAll(async () => {
    await booted.close();
    await rm(place.folder, { recursive: true });
  });

  it.each(['python', 'duckdb'])('of %s runs as given and gives the newest rows of every channel', (connectorId) =>
    runs.expectRows(connectorId, 'depth=2&limit=3'),
  );

  it.each(CONNECTORS)(
    'of %s runs as given and gives the rows of every channel over a window, the same number in every table',
    async (connectorId) => {
      const totals = await runs.expectRows(connectorId, `depth=2&${WINDOW}`);
      if (connectorId !== 'rest') expect(totals['book']).toBe(960);
    },
  );

  it('names the columns of newest rows as rows do, and says until when a column of an earlier name is there', async () => {
    const all = (await runs.specs('csv', 'limit=3')).filter(({ remark }) => remark?.includes('Deprecated, available until 2027-05-27: '));
    const headers = (await runs.runAll('csv', all)).map(([row = {}]) => Object.keys(row).join());
    expect(headers).toEqual([
      'exchange_time_utc,pass,venue_id,sequence,side,level,price,size',
      'pass,venue_id,price,size,aggressor_side,exchange_time_utc,trade_id,side',
      'pass,venue_id,position_side,price,size,notional_usd,provenance,exchange_time_utc,liquidation_id',
    ]);
  });

  it('follows the cursor where a window holds more rows than a page', async () => {
    const all = await runs.specs('python', 'depth=1&from=2025-12-31T22:00:00Z&to=2025-12-31T22:30:00Z');
    const [rows = []] = await runs.runAll(
      'python',
      all.filter(({ channel }) => channel === 'control'),
    );
    expect(rows).toHaveLength(7_200);
    expect(new Set(rows.map((row) => row['sequence'])).size).toBe(7_200);
  });

  it('streams rows of every channel but candles over a window', async () => {
    for (const [index, channel] of ROW_CHANNELS.entries()) {
      const row = logRow(SIMULATED_SYMBOL, index + 1, channel);
      const packet = channel === 'packets' ? { packetDigest: 'a'.repeat(64), packetWindowEndMs: row.exchangeTsMs } : {};
      booted.dataPlane.rows.append({ row: { ...row, ...packet } });
    }
    const all = await runs.specs('sse', WINDOW);
    expect(all.map(({ channel }) => channel)).toEqual(ROW_CHANNELS);
    const printed = await runBash(
      place,
      all.map(({ snippet }) => snippet),
    );
    for (const [index, { channel }] of all.entries()) {
      expect(printed[index]).toContain(`"channel":"${channel}"`);
      expect(printed[index]?.trimEnd()).toMatch(/event: end\ndata: .*"complete".*$/);
    }
  });

  it('streams live rows until it is stopped', async () => {
    const book = (await runs.specs('sse', '')).find(({ channel }) => channel === 'book');
    let sequence = 1_000;
    const feeding = setInterval(() => booted.dataPlane.rows.append({ row: logRow(SIMULATED_SYMBOL, (sequence += 1), 'book') }), 50);
    const printed = await runUntil(place, book?.snippet ?? 'false', (text) => text.includes('event: row'));
    clearInterval(feeding);
    expect(printed).toContain('"channel":"book"');
  });

  it('honours every parameter', async () => {
    const newest = Object.fromEntries((await runs.specs('rest', 'depth=7&limit=9&tf=5m')).map((spec) => [spec.channel, spec]));
    expect(newest['book']?.url).toBe(`${booted.gateway.url}/api/public/data/book/l2/latest?symbol=SIMUSD-PERP&depth=7`);
    expect(newest['trades']?.url).toBe(`${booted.gateway.url}/api/public/data/trades/latest?symbol=SIMUSD-PERP&limit=9`);
    expect(newest['candles']?.parameters).toEqual({ symbol: 'SIMUSD-PERP', tf: '5m' });
    expect(newest['book']?.headers).toEqual({ 'x-market-state-api-key': '$MARKET_STATE_API_KEY' });
    const windowed = Object.fromEntries((await runs.specs('rest', `tf=5m&${WINDOW}`)).map((spec) => [spec.channel, spec]));
    expect(windowed['trades']?.url).toBe(
      `${booted.gateway.url}/api/public/data/replay/window?symbol=SIMUSD-PERP&start=${FROM_UTC}&end=${TO_UTC}&channels=trades`,
    );
    expect(windowed['candles']?.parameters).toEqual({ symbol: 'SIMUSD-PERP', tf: '5m', from: FROM_UTC, to: TO_UTC });
  });

  it('cuts rows to an hour and says so, candles not', async () => {
    const all = Object.fromEntries(
      (await runs.specs('rest', 'from=2025-12-31T01:00:00Z&to=2025-12-31T09:00:00Z')).map((spec) => [spec.channel, spec]),
    );
    expect(all['trades']).toMatchObject({
      covers_start_utc: '2025-12-31T01:00:00.000Z',
      covers_end_utc: '2025-12-31T02:00:00.000Z',
      remark: expect.stringContaining('at most one hour'),
    });
    expect(all['candles']).toMatchObject({ covers_end_utc: '2025-12-31T09:00:00.000Z', remark: null });
  });

  it('ends a window without an end at the feed clock, and begins one without a start 5 minutes before its end', async () => {
    const open = await runs.specs('rest', 'from=2025-12-31T23:30:00Z');
    expect(open[0]).toMatchObject({ covers_end_utc: new Date(FEED_CLOCK_MS).toISOString() });
    const short = await runs.specs('rest', 'to=2025-12-31T23:30:00Z');
    expect(short[0]).toMatchObject({ covers_start_utc: '2025-12-31T23:25:00.000Z' });
    const late = await booted.keyed(`/api/public/data/connectors/rest/query-spec?from=${FEED_CLOCK_MS + 1}`);
    expect(late.json()).toEqual({
      detail: [{ loc: ['query', 'from'], msg: expect.stringContaining('feed clock'), type: 'window' }],
      fault_total: 1,
    });
  });

  it('says of channels that the venue lacks that they are not reported, and their queries run', async () => {
    const response = await booted.keyed('/api/public/data/connectors/python/query-spec?symbol=BTCUSD-PERP');
    const lacking = response.json<{ specs: ConnectorSpec[] }>().specs.filter(({ reported }) => !reported);
    expect(lacking.map(({ channel }) => channel)).toEqual(['context', 'liquidations']);
    const [context = '', liquidations] = await runPython(
      place,
      lacking.map(({ snippet }) => snippet),
    );
    expect(liquidations).toBe('');
    expect(JSON.parse(context)).toMatchObject({
      source_status: 'missing',
      funding_rate: null,
    });
  });

  it('names the connectors to an id that there is not', async () => {
    const response = await booted.keyed('/api/public/data/connectors/excel/query-spec');
    expect(response.status).toBe(404);
    expect(response.json()).toMatchObject({ code: 'not_found', connectors_served: CONNECTOR_IDS });
    expect([...CONNECTOR_IDS].sort()).toEqual(['csv', 'duckdb', 'parquet', 'python', 'rest', 'sse']);
  });
});
