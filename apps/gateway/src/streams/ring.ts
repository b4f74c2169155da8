import { type ChannelName, CHANNEL_NAMES } from '../clients/market-data-client';
import { advance, isBeyond, type Frame, type Rendered, makeMessage } from './frame';
import { laterOf, type StreamPosition } from './position';

interface Skipped {
  readonly from: StreamPosition;
  readonly to: StreamPosition;
  readonly rowTotal: number;
  readonly gapTotal: number;
  readonly byChannel: Readonly<Partial<Record<ChannelName, number>>>;
}

function skippedOf(
  from: StreamPosition,
  to: StreamPosition,
  dropped: Tally,
  had: Tally,
  channels: ReadonlySet<ChannelName>,
): Skipped | null {
  const missed = (name: string): number => Math.max(0, (dropped[name] ?? 0) - (had[name] ?? 0));
  const wanted = CHANNEL_NAMES.filter((channel) => channels.has(channel));
  const byChannel = Object.fromEntries(wanted.map((channel) => [channel, missed(channel)]));
  const rowTotal = wanted.reduce((total, channel) => total + missed(channel), 0);
  const gapTotal = ['', ...wanted].reduce((total, channel) => total + missed(`gap:${channel}`), 0);
  return rowTotal + gapTotal === 0 ? null : { from, to, rowTotal, gapTotal, byChannel };
}

interface SkippedSpan {
  readonly symbol: string;
  readonly fromId: string;
  readonly toId: string;
}

/** Has no id: a reader cut now resumes at `from_id` and misses nothing. */
export function renderSkipped(skipped: Omit<Skipped, 'from' | 'to'>, { symbol, fromId, toId }: SkippedSpan): Buffer {
  return makeMessage('skipped', {
    symbol,
    from_id: fromId,
    to_id: toId,
    row_total: skipped.rowTotal,
    by_channel: skipped.byChannel,
    gap_total: skipped.gapTotal,
  });
}

export interface Message<Content extends Rendered = Rendered> {
  readonly rendered: Content;
  readonly position: StreamPosition;
}

/** Messages of one symbol, or the ones missed. */
export interface Batch<Content extends Rendered = Rendered> {
  /** Empty if only the position moved. */
  readonly messages: readonly Message<Content>[];
  readonly position: StreamPosition;
  readonly skipped: Skipped | null;
}

export type Batches<Content extends Rendered = Rendered> = AsyncGenerator<Batch<Content>, void, undefined>;

export function createBatchMaker<Content extends Rendered = Rendered>(bytesMax: number) {
  let messages: Message<Content>[] = [];
  let sizeBytes = 0;
  return {
    add(message: Message<Content>): void {
      messages.push(message);
      sizeBytes += message.rendered.bytes.length;
    },
    isFull: () => sizeBytes >= bytesMax,
    isEmpty: () => messages.length === 0,
    make(position: StreamPosition): Batch<Content> {
      const batch = { messages, position, skipped: null };
      messages = [];
      sizeBytes = 0;
      return batch;
    },
  };
}

/** Counts by channel; `gap:book` for gaps of a channel, `gap:` for gaps of all. Absent: 0. */
type Tally = Readonly<Record<string, number>>;

interface RingLimits {
  readonly framesMax: number;
  readonly bytesMax: number;
}

/** Entry point, and the messages received out of all the ring ever held. */
interface RingEntry {
  readonly index: number;
  readonly had: Tally;
}

/** Newest messages of one symbol, rendered once for all readers. */
export interface Ring {
  /** Drops the oldest beyond the limits and wakes readers. */
  push(frame: Frame): void;
  /** Undefined if dropped or not yet there. */
  at(index: number): Frame | undefined;
  /** Indexes of the oldest message and the next one. */
  tailIndex(): number;
  headIndex(): number;
  tail(): StreamPosition;
  head(): StreamPosition;
  dropped(): Tally;
  enter(position: StreamPosition): RingEntry;
  /** Resolves at the next push or `wake`. */
  changed(): Promise<void>;
  wake(): void;
  sizeBytes(): number;
}

function tallyName(frame: Frame): string {
  return frame.kind === 'gap' ? `gap:${frame.channel ?? ''}` : (frame.channel ?? '');
}

function count(tally: Record<string, number>, frame: Frame): void {
  const name = tallyName(frame);
  tally[name] = (tally[name] ?? 0) + 1;
}

export function createRing(start: StreamPosition, { framesMax, bytesMax }: RingLimits): Ring {
  const frames = new Map<number, Frame>();
  const dropped: Record<string, number> = {};
  let tailIndex = 0;
  let headIndex = 0;
  let tail = start;
  let head = start;
  let sizeBytes = 0;
  let wakeAll = (): void => undefined;
  let change: Promise<void> | undefined;

  function wake(): void {
    change = undefined;
    wakeAll();
    wakeAll = () => undefined;
  }

  function dropOldest(): void {
    const oldest = frames.get(tailIndex);
    if (oldest === undefined) return;
    frames.delete(tailIndex);
    tailIndex += 1;
    tail = advance(tail, oldest);
    sizeBytes -= oldest.bytes.length;
    count(dropped, oldest);
  }

  return {
    push(frame) {
      frames.set(headIndex, frame);
      headIndex += 1;
      head = advance(head, frame);
      sizeBytes += frame.bytes.length;
      while (frames.size > framesMax || (sizeBytes > bytesMax && frames.size > 1)) dropOldest();
      wake();
    },
    at: (index) => frames.get(index),
    tailIndex: () => tailIndex,
    headIndex: () => headIndex,
    tail: () => tail,
    head: () => head,
    dropped: () => ({ ...dropped }),
    enter(position) {
      const had: Record<string, number> = { ...dropped };
      let index = headIndex;
      for (let at = headIndex - 1; at >= tailIndex; at -= 1) {
        const frame = frames.get(at);
        if (frame === undefined) continue;
        if (isBeyond(frame, position)) index = at;
        else count(had, frame);
      }
      return { index, had };
    },
    changed() {
      change ??= new Promise((resolve) => {
        wakeAll = resolve;
      });
      return change;
    },
    wake,
    sizeBytes: () => sizeBytes,
  };
}

export interface RingReading {
  readonly ring: Ring;
  readonly channels: ReadonlySet<ChannelName>;
  /** Packets move the reader's position. */
  readonly withPackets: boolean;
  /** Aborts once no more messages will come; the reason is a ServiceError. */
  readonly lost: Pick<AbortSignal, 'aborted' | 'reason'>;
  readonly batchBytesMax: number;
}

/** Gaps of all channels go to everyone. */
export function isWanted(frame: Frame, channels: ReadonlySet<ChannelName>): boolean {
  return frame.channel === null ? frame.kind === 'gap' : channels.has(frame.channel);
}

/**
 * Endless. A reader whose next message was dropped is sent what it missed and continues with the oldest one. Throws if
 * the ring's source is lost.
 */
export async function* readRing(
  { ring, channels, withPackets, lost, batchBytesMax }: RingReading,
  from: StreamPosition,
  signal: AbortSignal,
): Batches<Frame> {
  let position = from;
  let entry = ring.enter(position);
  let had: Record<string, number> = { ...entry.had };
  let { index } = entry;
  const maker = createBatchMaker<Frame>(batchBytesMax);

  function skipDropped(): Batch<Frame> | null {
    const tail = laterOf(position, ring.tail());
    const to = withPackets ? tail : { ...tail, windowEndMs: position.windowEndMs };
    const skipped = skippedOf(position, to, ring.dropped(), had, channels);
    position = to;
    entry = ring.enter(position);
    had = { ...entry.had };
    ({ index } = entry);
    return skipped === null ? null : { messages: [], position, skipped };
  }

  function collect(): void {
    for (; !maker.isFull(); index += 1) {
      const frame = ring.at(index);
      if (frame === undefined) return;
      if (!isBeyond(frame, position)) continue;
      count(had, frame);
      if (frame.kind === 'packet' && !withPackets) continue;
      position = advance(position, frame);
      if (isWanted(frame, channels)) maker.add({ rendered: frame, position });
    }
  }

  signal.addEventListener('abort', () => ring.wake(), { once: true });
  while (!signal.aborted) {
    if (index < ring.tailIndex()) {
      const loss = skipDropped();
      if (loss !== null) yield loss;
    } else if (index < ring.headIndex()) {
      collect();
      yield maker.make(position);
    } else {
      if (lost.aborted) throw lost.reason;
      await ring.changed();
    }
  }
}
