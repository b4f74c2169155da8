import type { marketData } from '@market-state/contracts';
import fc from 'fast-check';
import { formatPosition, parsePosition, type StreamPosition } from './position';
import { advance, isBeyond, type Frame } from './frame';
import type { Batches, Message } from './ring';
import { conflated } from './conflate';
import { gapFrame, rowFrame } from './render-frames';
import type { SymbolReader } from './symbol-readers';

const SYMBOL = 'BTCUSD-PERP';
/** Time to wait for the end of a log. */
const CONFLATE_MS = 10;
const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 30) };
const BEGINNING: StreamPosition = { epoch: 1, ordinal: 0, windowEndMs: 0, gapsSent: 0, packetSent: false };
/** Long ago, so that an interval ends with its last row. */
const T0 = 1_767_225_600_000;

type Kind = 'book' | 'trade' | 'tick' | 'status' | 'gap';

interface Entry {
  readonly kind: Kind;
  readonly afterMs: number;
}

function row(kind: Exclude<Kind, 'gap'>, sequence: number): marketData.DataRow {
  const channel = { book: 'book', trade: 'trades', tick: 'control', status: 'control' }[kind];
  const line = Buffer.from(`{"schema":"market_state_row.v1","kind":"${kind}","ordinal":${sequence}}`);
  const times = { exchangeTsMs: T0, receivedTsMs: T0 };
  return { channel, sequence, epoch: 1, ...times, flags: 0, line, packetDigest: '', packetWindowEndMs: 0 };
}

/** Frames of a log: a gap follows the row before it. */
function framesOf(entries: readonly Entry[]): Frame[] {
  let [sequence, gapNumber, clockMs] = [1, 0, T0];
  const first = rowFrame(row('status', sequence), clockMs);
  return [
    first,
    ...entries.map(({ kind, afterMs }) => {
      clockMs += afterMs;
      if (kind !== 'gap') {
        gapNumber = 0;
        return rowFrame(row(kind, (sequence += 1)), clockMs);
      }
      const gap = { gapId: `gap_${sequence}_${(gapNumber += 1)}`, symbol: SYMBOL, channel: '', startMs: T0, endMs: 0 };
      const stated = { ...gap, reason: 'sequence_gap', resolution: 'open', place: undefined };
      return gapFrame(stated, { epoch: 1, ordinal: sequence, gapNumber });
    }),
  ];
}

/** Frames after a position, in batches of this size. */
function readerOf(frames: readonly Frame[], start: StreamPosition, batchSize: number): SymbolReader<Frame> {
  return {
    symbol: SYMBOL,
    start,
    async *batches(): Batches<Frame> {
      let position = start;
      const left = frames.filter((frame) => isBeyond(frame, start));
      for (let at = 0; at < left.length; at += batchSize) {
        const messages: Message<Frame>[] = [];
        for (const frame of left.slice(at, at + batchSize))
          messages.push({ rendered: frame, position: (position = advance(position, frame)) });
        yield { messages, position, skipped: null };
      }
      await new Promise(() => undefined);
    },
    feedClockMs: () => 0,
    sourceKind: () => 'simulated',
    close: () => undefined,
  };
}

interface Sent {
  readonly id: string;
  readonly event: string;
  readonly data: {
    readonly gap_id?: string;
    readonly conflated_total: number;
    readonly rows: readonly { readonly channel: string; readonly sequence: number; readonly row: { readonly kind: Kind } }[];
  };
}

/** Reads messages until their ids cover the whole log, resuming after earlier ones as `cuts` demands. */
async function read(frames: readonly Frame[], batchSize: number, cuts: readonly number[]): Promise<Sent[]> {
  const end = frames.reduce(advance, BEGINNING);
  const sent: Sent[] = [];
  let position = BEGINNING;
  for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
    const reader = conflated(readerOf(frames, position, batchSize), { conflateMs: CONFLATE_MS, batchBytesMax: 65_536 });
    let left = cut;
    for await (const batch of reader.batches(new AbortController().signal)) {
      for (const { rendered, position: reached } of batch.messages.slice(0, left)) {
        const [, , event = '', data = ''] = /^(id: .*\n)?event: (.*)\ndata: (.*)\n\n$/s.exec(rendered.body.toString()) ?? [];
        sent.push({ id: formatPosition(reached), event, data: JSON.parse(data) as Sent['data'] });
        position = parsePosition(formatPosition(reached)) ?? position;
        left -= 1;
      }
      if (left <= 0 || formatPosition(position) === formatPosition(end)) break;
    }
    if (formatPosition(position) === formatPosition(end)) break;
  }
  return sent;
}

const entries = fc.array(
  fc.record({
    kind: fc.constantFrom<Kind>('book', 'book', 'trade', 'trade', 'tick', 'status', 'gap'),
    afterMs: fc.constantFrom(0, 1, 2, 4, 25),
  }),
  { maxLength: 60 },
);

describe('a conflated symbol', () => {
  it('sends or counts every row once and keeps every gap in order, for any split of the input', async () => {
    await fc.assert(
      fc.asyncProperty(
        entries,
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 6 }),
        async (log, size, cuts) => {
          const frames = framesOf(log);
          const sent = await read(frames, size, cuts);
          const rows = sent.flatMap(({ event, data }) => (event === 'conflated' ? data.rows : []));
          const total = sent.reduce(
            (sum, { event, data }) => sum + (event === 'conflated' ? data.rows.length + data.conflated_total : 0),
            0,
          );
          expect(total).toBe(frames.filter(({ kind }) => kind === 'row').length);
          const numbers = rows.map(({ sequence }) => sequence);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
          const never = log.filter(({ kind }) => kind === 'trade' || kind === 'status').length + 1;
          expect(rows.filter(({ row: { kind } }) => kind === 'trade' || kind === 'status')).toHaveLength(never);
          expect(sent.flatMap(({ data }) => data.gap_id ?? [])).toEqual(
            frames.flatMap(({ kind, body }) => (kind === 'gap' ? (/gap_\d+_\d+/.exec(body.toString())?.[0] ?? '') : [])),
          );
          const places = sent.map(({ id }) => parsePosition(id) as StreamPosition);
          places.forEach((place, at) => expect(at === 0 || place.ordinal >= (places[at - 1]?.ordinal ?? 0)).toBe(true));
        },
      ),
      RUNS,
    );
  });

  it('holds in each message the newest book and clock tick of one interval', async () => {
    await fc.assert(
      fc.asyncProperty(entries, async (log) => {
        const frames = framesOf(log);
        const takenAtMs = new Map(frames.flatMap((frame) => (frame.kind === 'row' ? [[frame.ordinal, frame.takenAtMs] as const] : [])));
        for (const { event, data } of await read(frames, 7, [])) {
          if (event !== 'conflated') continue;
          for (const kind of ['book', 'tick']) expect(data.rows.filter(({ row: own }) => own.kind === kind).length).toBeLessThanOrEqual(1);
          const intervals = data.rows.map(({ sequence }) => Math.floor((takenAtMs.get(sequence) ?? 0) / CONFLATE_MS));
          expect(new Set(intervals).size).toBe(1);
        }
      }),
      RUNS,
    );
  });
});
