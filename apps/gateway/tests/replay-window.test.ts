import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { SIMULATED_SYMBOL } from './stand-in/data-plane';
import { FEED_CLOCK_MS, madeRows } from './stand-in/made-rows';

const REPLAY = '/api/public/data/replay/window';
const CHANNELS = ['book', 'trades', 'context', 'liquidations', 'control', 'packets'];
/** Long enough for three pages. */
const SPAN_MS = 1_000_000;
const START_MS = Date.parse('2025-12-31T22:00:00.000Z');

interface Row {
  readonly channel: string;
  readonly sequence: number;
  readonly flags: readonly string[];
  readonly row?: object;
  readonly packet?: object;
  readonly packet_digest?: string;
}

interface Page {
  readonly start_utc: string;
  readonly end_utc: string;
  readonly as_of_utc: string;
  readonly channels: readonly string[];
  readonly channels_not_reported: readonly string[];
  readonly rows: readonly Row[];
  readonly row_total: number;
  readonly gaps: readonly { readonly gap_id: string; readonly kind: string }[];
  readonly next_cursor: string | null;
  readonly completeness: {
    readonly rows_expected: number;
    readonly rows_sent: number;
    readonly gap_ids: readonly string[];
    readonly rows_sha256: string;
    readonly status: string;
    readonly reasons: readonly string[];
  };
}

function utc(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** The receipt's chain, over rows as received. */
function chainOver(rows: readonly Row[]): string {
  let digest: Buffer = Buffer.alloc(32);
  for (const row of rows)
    digest = createHash('sha256')
      .update(digest)
      .update(row.packet_digest ?? JSON.stringify(row.row))
      .digest();
  return digest.toString('hex');
}

describe('replay/window', () => {
  let booted: BootedGateway;
  const check = responseCheck('ReplayWindow');
  beforeAll(async () => {
    booted = await bootGateway();
    // Created in advance: a call that waits for them could miss its deadline on a slow machine.
    madeRows(SIMULATED_SYMBOL, START_MS, START_MS + SPAN_MS, CHANNELS);
  });
  afterAll(() => booted.close());

  async function page(query: string): Promise<Page> {
    const response = await booted.keyed(`${REPLAY}?${query}`);
    expect(response.status).toBe(200);
    expect(check(response.json())).toBeNull();
    return response.json<Page>();
  }

  let first: Promise<Page> | undefined;
  /** First page of a window with several, read once. */
  function firstPage(): Promise<Page> {
    first ??= page(`symbol=${SIMULATED_SYMBOL}&start=${START_MS}&end=${START_MS + SPAN_MS}`);
    return first;
  }

  async function faults(query: string): Promise<unknown> {
    const response = await booted.keyed(`${REPLAY}?${query}`);
    expect(response.status).toBe(422);
    return response.json()['detail'];
  }

  it.each([
    ['', FEED_CLOCK_MS - 300_000, FEED_CLOCK_MS],
    [`end=${utc(START_MS)}`, START_MS - 300_000, START_MS],
    [`start=${utc(START_MS)}`, START_MS, START_MS + 3_600_000],
    [`start=${utc(FEED_CLOCK_MS - 5_000)}`, FEED_CLOCK_MS - 5_000, FEED_CLOCK_MS],
    [`start=${START_MS}&end=${START_MS + 3_600_000}`, START_MS, START_MS + 3_600_000],
  ])('takes the window of "%s"', async (query, startMs, endMs) => {
    expect(await page(`${query}&channels=context`)).toMatchObject({ start_utc: utc(startMs), end_utc: utc(endMs) });
  });

  it('refuses a window of more than an hour, one that ends before it starts, and a start in the future without an end', async () => {
    expect(await faults(`start=${START_MS}&end=${START_MS + 3_600_001}`)).toEqual([
      { loc: ['query', 'end'], msg: 'must be at most 1 hour after start', type: 'window_too_long' },
    ]);
    expect(await faults(`start=${START_MS}&end=${START_MS}`)).toEqual([
      { loc: ['query', 'start'], msg: 'must be before end', type: 'window' },
    ]);
    expect(await faults(`start=${FEED_CLOCK_MS + 1}`)).toEqual([
      { loc: ['query', 'start'], msg: expect.stringContaining(utc(FEED_CLOCK_MS)), type: 'window' },
    ]);
  });

  it('reports unknown channels with the valid ones, along with every other fault', async () => {
    expect(await faults(`channels=book,ticker,,Trades&symbol=x&start=${START_MS}&end=1`)).toEqual([
      {
        loc: ['query', 'channels'],
        msg: `has unknown channels "ticker", "", "Trades": use a comma-separated list of ${CHANNELS.join(', ')}, or leave it empty for all`,
        type: 'unknown_channel',
      },
      { loc: ['query', 'symbol'], msg: expect.any(String), type: 'pattern' },
      { loc: ['query', 'start'], msg: 'must be before end', type: 'window' },
    ]);
  });

  it('reads every channel that the venue reports where none is named, and says which it does not', async () => {
    const recorded = await page(`start=${START_MS}&end=${START_MS + 10_000}`);
    expect([recorded.channels, recorded.channels_not_reported]).toEqual([
      ['book', 'trades', 'control', 'packets'],
      ['context', 'liquidations'],
    ]);
    const simulated = await page(`symbol=${SIMULATED_SYMBOL}&start=${START_MS}&end=${START_MS + 10_000}`);
    expect([simulated.channels, simulated.channels_not_reported]).toEqual([CHANNELS, []]);
    expect(simulated.rows.every(({ flags }, index) => simulated.rows[index]?.channel === 'packets' || flags.includes('synthetic'))).toBe(
      true,
    );
    expect((await page(`start=${START_MS}&end=${START_MS + 10_000}&channels=context`)).channels).toEqual(['context']);
  });

  it('pages through a window without repeating or leaving out a row, and its receipt can be recomputed from what came', async () => {
    const query = `symbol=${SIMULATED_SYMBOL}&start=${utc(START_MS)}&end=${utc(START_MS + SPAN_MS)}`;
    const rows: Row[] = [];
    let cursor: string | null = '';
    let last: Page | undefined;
    while (cursor !== null) {
      last = await page(`${query}&cursor=${cursor}`);
      expect(last.row_total).toBe(last.rows.length);
      rows.push(...last.rows);
      expect(last.completeness).toMatchObject({
        rows_sent: rows.length,
        rows_sha256: chainOver(rows),
        status: last.next_cursor === null ? 'complete' : 'partial',
      });
      cursor = last.next_cursor;
    }
    const made = madeRows(SIMULATED_SYMBOL, START_MS, START_MS + SPAN_MS, CHANNELS);
    expect(rows.map(({ channel, sequence }) => [channel, sequence])).toEqual(made.map(({ channel, sequence }) => [channel, sequence]));
    expect(rows.map((row) => JSON.stringify(row.row ?? row.packet))).toEqual(made.map(({ line }) => line.toString()));
    expect(last?.completeness).toMatchObject({ rows_expected: made.length, rows_sent: made.length, gap_ids: [], reasons: [] });
  });

  it('keeps the window of the first page where neither start nor end is sent again', async () => {
    const first = await firstPage();
    const second = await page(`symbol=${SIMULATED_SYMBOL}&cursor=${first.next_cursor}`);
    expect([second.start_utc, second.end_utc]).toEqual([first.start_utc, first.end_utc]);
    expect(second.rows[0]?.sequence).toBeGreaterThan(first.rows.at(-1)?.sequence ?? Infinity);
  });

  it('refuses a cursor of another window, and one that is none of ours', async () => {
    const { next_cursor: cursor } = await firstPage();
    expect(await faults(`symbol=${SIMULATED_SYMBOL}&start=${START_MS + 1}&cursor=${cursor}`)).toEqual([
      { loc: ['query', 'cursor'], msg: expect.stringContaining('another window'), type: 'malformed' },
    ]);
    for (const bad of ['abc', 'a.b.', `${String(cursor).split('.').slice(0, 2).join('.')}.rubbish`])
      expect(await faults(`cursor=${bad}`)).toEqual([
        { loc: ['query', 'cursor'], msg: expect.stringContaining('next_cursor'), type: expect.any(String) },
      ]);
  });

  it('shows the gaps of the window and never claims to be whole with one', async () => {
    const body = await page('channels=book');
    expect(body.gaps.map(({ kind }) => kind)).toEqual(['seam', 'gap', 'gap']);
    expect(body.completeness).toMatchObject({
      status: 'partial',
      reasons: ['gaps_in_window'],
      gap_ids: body.gaps.slice(1).map(({ gap_id }) => gap_id),
    });
  });

  it('gives the same bytes in every coding, and 304 to who holds them', async () => {
    const query = `${REPLAY}?symbol=${SIMULATED_SYMBOL}&start=${START_MS}&end=${START_MS + SPAN_MS}`;
    const plain = await booted.keyed(query);
    const [gzip, br] = await Promise.all(['gzip', 'br'].map((coding) => booted.keyed(query, { headers: { 'accept-encoding': coding } })));
    expect(plain.bytes.length).toBeGreaterThan(1_048_576);
    expect(gunzipSync(gzip?.bytes ?? '').equals(plain.bytes)).toBe(true);
    expect(brotliDecompressSync(br?.bytes ?? '').equals(plain.bytes)).toBe(true);
    expect((await booted.keyed(query, { headers: { 'if-none-match': String(plain.headers['etag']) } })).status).toBe(304);
  });

  it('answers 503 while the data plane is down', async () => {
    booted.dataPlane.setDown('feed', true);
    const response = await booted.keyed(REPLAY);
    booted.dataPlane.setDown('feed', false);
    expect(response.json()).toMatchObject({ status: 503, code: 'upstream_unavailable' });
  });
});
