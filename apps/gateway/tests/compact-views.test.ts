import { gzipSync } from 'node:zlib';
import type { Packet } from '@market-state/labeler';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { openStream } from './stand-in/event-stream';
import { packetRecord } from './stand-in/packet-record';

const BASE = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
const COMPACT_BYTES_MAX = 4_096;
const FIRST_AND_LAST = ['symbol', 'window_end_utc', 'mid_price', 'event_id', 'packet_digest', 'lineage_digest'];

type CompactRow = Readonly<Record<string, unknown>> & { readonly event_id: string; readonly packet_digest: string };

interface Answer {
  readonly rows?: readonly CompactRow[];
  readonly packets?: readonly CompactRow[];
  readonly state_spans?: readonly unknown[];
  readonly transitions?: readonly unknown[];
  readonly next_cursor?: string | null;
}

const nowMs = lastWindowEndMs() + 5_000;
const ends = Array.from({ length: 90 }, (_end, index) => lastWindowEndMs(nowMs) - (89 - index) * 10_000);
const records = new Map(ends.map((endMs) => [`evt_${SYMBOL}_${endMs}`, packetRecord(SYMBOL, endMs)]));

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway({ now: () => nowMs });
  // The newest is present from the start.
  for (const record of [...records.values()].slice(0, -1)) booted.labeling.store(record);
});
afterAll(() => booted.close());

async function read(path: string): Promise<Answer> {
  const response = await booted.keyed(`${BASE}/${path}`);
  expect([response.status, response.status === 200 ? '' : response.text]).toEqual([200, '']);
  return response.json<Answer>();
}

function rowsOf({ rows, packets }: Answer): readonly CompactRow[] {
  return rows ?? packets ?? [];
}

/** Rejects a row that is too long, out of order, or differs from its packet. */
function expectCompact(row: CompactRow, responseState = 'recorded_replay'): void {
  expect(responseCheck('CompactPacket')(row)).toBeNull();
  const own = Object.fromEntries(Object.entries(row).filter(([name]) => name !== 'match'));
  expect(Buffer.byteLength(JSON.stringify(own))).toBeLessThanOrEqual(COMPACT_BYTES_MAX);
  const names = Object.keys(own);
  expect([...names.slice(0, 3), ...names.slice(-3)]).toEqual(FIRST_AND_LAST);
  const record = records.get(row.event_id);
  const packet = JSON.parse(record?.body.toString('utf8') ?? '{}') as Packet;
  expect(row).toMatchObject({
    packet_digest: record?.packetDigest,
    lineage_digest: record?.lineageDigest,
    window_end_utc: packet.ts,
    mid_price: packet.reference_prices.mid_price,
    response_state: responseState,
  });
}

it.each([
  ['latest', 1],
  ['replay?replay_window_seconds=300&limit=30', 30],
  ['history?limit=40', 40],
  ['events/search?limit=40', 40],
])('%s has compact packets at the price of whole ones', async (path, total) => {
  const joint = path.includes('?') ? '&' : '?';
  const compact = rowsOf(await read(`${path}${joint}symbol=${SYMBOL}&view=compact`));
  expect(compact).toHaveLength(total);
  for (const row of compact) expectCompact(row);
  const whole = rowsOf(await read(`${path}${joint}symbol=${SYMBOL}`));
  expect(compact.map(({ event_id: id }) => id)).toEqual(whole.map(({ event_id: id }) => id));
  const charged = await Promise.all(
    ['packet', 'compact'].map((view) => booted.keyed(`${BASE}/${path}${joint}symbol=${SYMBOL}&view=${view}`)),
  );
  const [first, second] = charged.map(({ headers }) => headers['x-credits-charged']);
  expect(Number(first)).toBeGreaterThan(0);
  expect(second).toBe(first);
});

it('latest in its compact view is at most 6 kB for one symbol, the envelope in it', async () => {
  const { text } = await booted.keyed(`${BASE}/latest?symbol=${SYMBOL}&view=compact`);
  expect([Buffer.byteLength(text) <= 6_144, gzipSync(text).length <= 2_560]).toEqual([true, true]);
  expect(rowsOf(await read('latest?symbol=ALL&view=compact'))).toHaveLength(2);
});

it('a history in its compact view has the spans and changes of its rows, and pages to its end in either view', async () => {
  const span = `symbol=${SYMBOL}&from=${ends[0]}&limit=25`;
  const pages: Answer[] = [];
  for (let cursor: string | null | undefined = ''; cursor !== null && cursor !== undefined; ) {
    const view: string = pages.length === 1 ? 'packet' : 'compact';
    const page: Answer = await read(`history?${span}&view=${view}&cursor=${cursor}`);
    pages.push(page);
    cursor = page.next_cursor;
  }
  expect(pages.flatMap(rowsOf).map(({ event_id: id }) => id)).toEqual([...records.keys()]);
  const [compact, plain] = await Promise.all(['compact', 'packet'].map((view) => read(`history?${span}&view=${view}`)));
  expect([compact?.state_spans, compact?.transitions]).toEqual([plain?.state_spans, plain?.transitions]);
});

it('a stream in its compact view sends compact packets under the ids of whole ones', async () => {
  const [before = 0] = ends.slice(-4);
  const after = `0-${Math.floor(before / 10_000)}-${before}`;
  const idsOf = async (view: string): Promise<string[]> => {
    const stream = await openStream(`${booted.gateway.url}${BASE}/stream?symbol=${SYMBOL}&view=${view}`, {
      'x-market-state-api-key': booted.key,
      'last-event-id': after,
    });
    await stream.until((messages) => messages.filter(({ event }) => event === 'packet').length >= 3);
    stream.cut();
    const packets = stream.messages.filter(({ event }) => event === 'packet').slice(0, 3);
    if (view === 'compact') for (const { data } of packets) expectCompact(JSON.parse(data) as CompactRow);
    return packets.map(({ lastEventId }) => lastEventId);
  };
  expect(await idsOf('compact')).toEqual(await idsOf('packet'));
});

it.each(['latest', 'replay', 'history', 'events/search'])('each row of %s says that it is delayed for a sandbox key', async (route) => {
  const headers = { 'x-market-state-api-key': booted.account.issue({}, 'test') };
  const answer = await booted.get(`${BASE}/${route}?symbol=${SYMBOL}&view=compact`, { headers });
  expect(answer.status).toBe(200);
  const rows = rowsOf(answer.json<Answer>());
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expectCompact(row, 'delayed_sandbox');
});

it.each(['latest', 'replay', 'history', 'events/search', 'stream'])('%s refuses a view that there is not', async (route) => {
  const refused = await booted.keyed(`${BASE}/${route}?symbol=${SYMBOL}&view=tiny`);
  expect([refused.status, refused.json()]).toMatchObject([422, { detail: [{ loc: ['query', 'view'] }] }]);
});
