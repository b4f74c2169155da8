import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { responseCheck } from '../src/boards/response-check';
import { CONNECTOR_IDS } from '../src/routes/data/queries/connectors';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { SIMULATED_SYMBOL } from './stand-in/data-plane';
import { FEED_CLOCK_MS } from './stand-in/made-rows';
import { logRow } from './stand-in/row-log';
import { runBash, runDuckdb, runPython, runUntil, type SnippetPlace } from './stand-in/run-snippet';

interface Spec {
  readonly channel: string;
  readonly reported: boolean;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly prepare: string | null;
  readonly language: 'bash' | 'python' | 'sql';
  readonly snippet: string;
  readonly output: string | null;
  readonly covers_start_utc: string | null;
  readonly covers_end_utc: string | null;
  readonly remark: string | null;
}

const FROM_UTC = '2025-12-31T23:00:00.000Z';
const TO_UTC = '2025-12-31T23:01:00.000Z';
const WINDOW = `from=${FROM_UTC}&to=${TO_UTC}`;
const ROW_CHANNELS = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'];

describe('connector query specs', () => {
  let booted: BootedGateway;
  let place: SnippetPlace;
  beforeAll(async () => {
    booted = await bootGateway();
    place = { folder: await mkdtemp(join(tmpdir(), 'market-state-snippets-')), key: booted.key };
  });
  afterAll(async () => {
    await booted.close();
    await rm(place.folder, { recursive: true });
  });

  async function specs(connectorId: string, query: string): Promise<Spec[]> {
    const response = await booted.keyed(`/api/public/data/connectors/${connectorId}/query-spec?symbol=${SIMULATED_SYMBOL}&${query}`);
    expect(response.status).toBe(200);
    expect(responseCheck('ConnectorQuerySpec')(response.json())).toBeNull();
    return response.json<{ specs: Spec[] }>().specs;
  }

  /** The lines that a spec gives when it is run as given. */
  async function run({ prepare, language, snippet, output }: Spec): Promise<Record<string, unknown>[]> {
    if (prepare !== null) await runBash(place, prepare);
    if (language === 'sql') {
      const rows = await runDuckdb(place, snippet);
      return output === null ? rows : runDuckdb(place, `SELECT * FROM read_parquet('${output}')`);
    }
    if (language === 'python') {
      const printed = await runPython(place, snippet);
      const text = output === null ? printed : await readFile(join(place.folder, output), 'utf8');
      const lines = text.split(/\r?\n/).filter((line) => line !== '');
      if (output === null) return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const [header = '', ...rows] = lines;
      return rows.map((row) => ({ [header]: row }));
    }
    const body = JSON.parse(await runBash(place, snippet)) as Record<string, unknown>;
    return (body['rows'] ?? body['bids'] ?? [body]) as Record<string, unknown>[];
  }

  describe.each(['rest', 'python', 'duckdb', 'csv', 'parquet'])('%s', (connectorId) => {
    it.each(['depth=2&limit=3', `depth=2&${WINDOW}`])('runs as given and gives rows of every channel for %s', async (query) => {
      const all = await specs(connectorId, query);
      expect(all.map(({ channel }) => channel)).toEqual(['book', 'trades', 'candles', 'context', 'liquidations', 'control', 'packets']);
      const counts: Record<string, number> = {};
      for (const spec of all) counts[spec.channel] = (await run(spec)).length;
      for (const channel of [...ROW_CHANNELS, 'candles']) expect([channel, (counts[channel] ?? 0) > 0]).toEqual([channel, true]);
    });
  });

  it('gives the same table by python, DuckDB, CSV and Parquet', async () => {
    const totals = await Promise.all(
      ['python', 'duckdb', 'csv', 'parquet'].map(async (connectorId) => {
        const byChannel = Object.fromEntries((await specs(connectorId, `depth=2&${WINDOW}`)).map((spec) => [spec.channel, spec]));
        const book = byChannel['book'];
        return book === undefined ? 0 : (await run(book)).length;
      }),
    );
    expect(totals).toEqual([960, 960, 960, 960]);
  });

  it('follows the cursor where a window holds more rows than a page', async () => {
    const all = await specs('python', 'depth=1&from=2025-12-31T22:00:00Z&to=2025-12-31T23:00:00Z');
    const control = all.find(({ channel }) => channel === 'control');
    const rows = control === undefined ? [] : await run(control);
    expect(rows).toHaveLength(14_400);
    expect(new Set(rows.map((row) => row['sequence'])).size).toBe(14_400);
  });

  it('streams rows of every channel but candles over a window', async () => {
    for (const [index, channel] of ROW_CHANNELS.entries()) {
      const row = logRow(SIMULATED_SYMBOL, index + 1, channel);
      const packet = channel === 'packets' ? { packetDigest: 'a'.repeat(64), packetWindowEndMs: row.exchangeTsMs } : {};
      booted.dataPlane.rows.append({ row: { ...row, ...packet } });
    }
    const all = await specs('sse', WINDOW);
    expect(all.map(({ channel }) => channel)).toEqual(ROW_CHANNELS);
    for (const spec of all) {
      const printed = await runBash(place, spec.snippet);
      expect(printed).toContain(`"channel":"${spec.channel}"`);
      expect(printed.trimEnd()).toMatch(/event: end\ndata: .*"complete".*$/);
    }
  });

  it('streams live rows until it is stopped', async () => {
    const book = (await specs('sse', '')).find(({ channel }) => channel === 'book');
    let sequence = 1_000;
    const feeding = setInterval(() => booted.dataPlane.rows.append({ row: logRow(SIMULATED_SYMBOL, (sequence += 1), 'book') }), 50);
    const printed = await runUntil(place, book?.snippet ?? 'false', (text) => text.includes('event: row'));
    clearInterval(feeding);
    expect(printed).toContain('"channel":"book"');
  });

  it('honours every parameter', async () => {
    const newest = Object.fromEntries((await specs('rest', 'depth=7&limit=9&tf=5m')).map((spec) => [spec.channel, spec]));
    expect(newest['book']?.url).toBe(`${booted.gateway.url}/api/public/data/book/l2/latest?symbol=SIMUSD-PERP&depth=7`);
    expect(newest['trades']?.url).toBe(`${booted.gateway.url}/api/public/data/trades/latest?symbol=SIMUSD-PERP&limit=9`);
    expect(newest['candles']?.parameters).toEqual({ symbol: 'SIMUSD-PERP', tf: '5m' });
    expect(newest['book']?.headers).toEqual({ 'x-market-state-api-key': '$MARKET_STATE_API_KEY' });
    const windowed = Object.fromEntries((await specs('rest', `tf=5m&${WINDOW}`)).map((spec) => [spec.channel, spec]));
    expect(windowed['trades']?.url).toBe(
      `${booted.gateway.url}/api/public/data/replay/window?symbol=SIMUSD-PERP&start=${FROM_UTC}&end=${TO_UTC}&channels=trades`,
    );
    expect(windowed['candles']?.parameters).toEqual({ symbol: 'SIMUSD-PERP', tf: '5m', from: FROM_UTC, to: TO_UTC });
  });

  it('cuts rows to an hour and says so, candles not', async () => {
    const all = Object.fromEntries(
      (await specs('rest', 'from=2025-12-31T01:00:00Z&to=2025-12-31T09:00:00Z')).map((spec) => [spec.channel, spec]),
    );
    expect(all['trades']).toMatchObject({
      covers_start_utc: '2025-12-31T01:00:00.000Z',
      covers_end_utc: '2025-12-31T02:00:00.000Z',
      remark: expect.stringContaining('at most one hour'),
    });
    expect(all['candles']).toMatchObject({ covers_end_utc: '2025-12-31T09:00:00.000Z', remark: null });
  });

  it('ends a window without an end at the feed clock, and begins one without a start 5 minutes before its end', async () => {
    const open = await specs('rest', 'from=2025-12-31T23:30:00Z');
    expect(open[0]).toMatchObject({ covers_end_utc: new Date(FEED_CLOCK_MS).toISOString() });
    const short = await specs('rest', 'to=2025-12-31T23:30:00Z');
    expect(short[0]).toMatchObject({ covers_start_utc: '2025-12-31T23:25:00.000Z' });
    const late = await booted.keyed(`/api/public/data/connectors/rest/query-spec?from=${FEED_CLOCK_MS + 1}`);
    expect(late.json()).toEqual({
      detail: [{ loc: ['query', 'from'], msg: expect.stringContaining('feed clock'), type: 'window' }],
      fault_total: 1,
    });
  });

  it('says of channels that the venue lacks that they are not reported, and their queries run', async () => {
    const response = await booted.keyed('/api/public/data/connectors/python/query-spec?symbol=BTCUSD-PERP');
    const lacking = response.json<{ specs: Spec[] }>().specs.filter(({ reported }) => !reported);
    expect(lacking.map(({ channel }) => channel)).toEqual(['context', 'liquidations']);
    expect(await runPython(place, lacking[1]?.snippet ?? 'fail')).toBe('');
    expect(JSON.parse(await runPython(place, lacking[0]?.snippet ?? 'fail'))).toMatchObject({
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
