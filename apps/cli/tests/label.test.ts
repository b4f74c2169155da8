import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createState, loadPolicy, reduce } from '@market-state/labeler';
import { eventOfRow, type MarketEvent } from '@market-state/market-data';
import { digestsInProcess, expectPackets, rowsOf } from './labelled';
import { BTC, createWorkplace, FEW_ROWS, run, type Outcome } from './run';

const place = createWorkplace();
afterAll(() => place.remove());

const labelled = new Map<string, Promise<Outcome>>();

/** Output of `label` by recording; each is labelled once. */
function label(files: readonly string[]): Promise<Outcome> {
  const key = files.join(' ');
  const outcome = labelled.get(key) ?? place.run('label', ...files);
  labelled.set(key, outcome);
  return outcome;
}

test('label gives the packets that the libraries give, digest for digest, and nothing else on stdout', async () => {
  expectPackets(await label(BTC), 'BTCUSD-PERP', await digestsInProcess(BTC));
});

describe('label on rows', () => {
  beforeAll(async () => {
    expect(await place.run('rows', ...BTC, '--out', 'all.ndjson')).toMatchObject({ exitCode: 0, stdout: '' });
    const lines = readFileSync(join(place.folder, 'all.ndjson'), 'utf8').split('\n');
    place.write('few.ndjson', lines.slice(0, FEW_ROWS).join('\n'));
  });

  test('gives what the recording they come from gives', async () => {
    expect((await place.run('label', 'all.ndjson')).stdout).toBe((await label(BTC)).stdout);
  });

  test('writes to --out the same bytes as to stdout, and leaves no partial file', async () => {
    expect(await place.run('label', 'few.ndjson', '--out', 'packets.ndjson')).toMatchObject({ exitCode: 0, stdout: '' });
    expect(readFileSync(join(place.folder, 'packets.ndjson'), 'utf8')).toBe((await label(['few.ndjson'])).stdout);
    expect(readdirSync(place.folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('writes a table with a line a packet, on it what a person compares', async () => {
    const { lines } = await place.run('label', 'few.ndjson', '--output', 'table');
    const rows = rowsOf(await label(['few.ndjson']));
    expect(rows.length).toBeGreaterThan(5);
    expect(lines).toHaveLength(rows.length + 1);
    expect(lines[0]).toMatch(/^time +state +raw winner +margin +event class +severity +confidence +flags$/);
    for (const [index, { packet }] of rows.entries()) {
      const [time, state, winner, margin, eventClass, severity, severityClass, confidence, label] = (lines[index + 1] ?? '').split(/ +/);
      expect(time).toBe(packet.ts.replace('.000Z', 'Z'));
      expect([state, winner, eventClass]).toEqual([packet.state, packet.state_diagnosis.winner_state, packet.event_class]);
      expect([severityClass, label]).toEqual([packet.event_severity.severity_class, packet.confidence.label]);
      expect([margin, severity, confidence].map(Number)).toEqual([
        packet.state_diagnosis.state_margin,
        packet.event_severity.score,
        packet.confidence.score,
      ]);
    }
  });

  test('reads a policy folder instead of the shipped policy', async () => {
    const shipped = join(import.meta.dirname, '../../../libs/domain/labeler/policy');
    expect((await place.run('label', 'few.ndjson', '--policy', shipped)).stdout).toBe((await label(['few.ndjson'])).stdout);
  });

  test('ends with 130 when it is stopped, and leaves no file behind', async () => {
    const stop = new AbortController();
    const outcome = run(['label', 'all.ndjson', '--out', 'stopped.ndjson'], place.folder, stop.signal);
    setImmediate(() => stop.abort());
    expect((await outcome).exitCode).toBe(130);
    expect(readdirSync(place.folder).filter((name) => name.startsWith('stopped'))).toEqual([]);
  });
});

test('rows as a table have a line an entry', async () => {
  const { lines } = await place.run('rows', 'few.ndjson', '--output', 'table');
  expect(lines).toHaveLength(FEW_ROWS + 1);
  expect(lines[0]).toMatch(/^ +ordinal +exchange time +kind +venue id +what$/);
  expect(lines[1]).toMatch(/^ +1 +2024-08-08T23:54:16\.172Z +feed_status +connected, recorded: book, trade$/);
});

describe('label on rows of a symbol at two venues', () => {
  const atOkx = (line: string): string => line.replace('"venue":"binance-coinm"', '"venue":"okx"');
  const market = 'BTCUSD-PERP@okx';
  let events: readonly MarketEvent[];

  beforeAll(async () => {
    const lines = (await place.run('rows', ...BTC)).lines.slice(0, FEW_ROWS);
    const other = lines.map(atOkx);
    events = other.map((line) => ({ ...eventOfRow(JSON.parse(line)), symbol: market }));
    place.write('okx.ndjson', other.join('\n'));
    place.write('both.ndjson', [...lines, ...other].join('\n'));
  });

  /** The service's log has the market as symbol. */
  const servedDigests = (): readonly string[] => {
    const state = createState(market, loadPolicy());
    return events.flatMap((event) =>
      reduce(state, event).map(({ packetId, packetDigest, lineageDigest }) => `${packetId} ${packetDigest} ${lineageDigest}`),
    );
  };

  test.each(['okx.ndjson', 'both.ndjson'])('gives the service’s packets of a secondary market: %s', async (file) => {
    const outcome = await place.run('label', file, '--symbol', market);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    const rows = rowsOf(outcome);
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.map((row) => `${row.packet_id} ${row.packet_digest} ${row.lineage_digest}`)).toEqual(servedDigests());
    expect(new Set(rows.map(({ symbol }) => symbol))).toEqual(new Set([market]));
  });

  test.each([
    [['both.ndjson'], 'both.ndjson:1001: the files have BTCUSD-PERP of binance-coinm and of okx: name a secondary venue, as in'],
    [['okx.ndjson', '--symbol', 'BTCUSD-PERP@kraken'], 'no row of BTCUSD-PERP@kraken; the files contain BTCUSD-PERP'],
    [[...BTC, '--symbol', market], 'the recording contains BTCUSD-PERP of binance-coinm, not of okx'],
  ])('refuses %j', async (files, text) => {
    const { exitCode, stderr } = await place.run('label', ...files);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  test('of a recording has the market too', async () => {
    const rows = rowsOf(await place.run('label', ...BTC, '--symbol', 'BTCUSD-PERP@binance-coinm'));
    expect(new Set(rows.map(({ symbol }) => symbol))).toEqual(new Set(['BTCUSD-PERP@binance-coinm']));
  });
});
