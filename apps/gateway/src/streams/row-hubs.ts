import type { labeling, marketData } from '@market-state/contracts';
import { toServiceError } from '@market-state/errors';
import { withRequestContext } from '@market-state/logging';
import { STREAM_LIMITS } from './limits';
import { fromProtoSourceKind } from '../clients/market-data-client';
import type { SourceKindName } from '../serving/meta/meta';
import { isBeyond, createGapNumbers, type Frame } from './frame';
import { followRows, type FollowRowsDeps, readHead } from './follow-rows';
import type { PacketHub } from './packet-hub';
import { gapFrame, packetRow, rowFrame } from './render-frames';
import { createRing, type Ring } from './ring';

/** Half an hour of packets that wait for their rows; beyond that they are sent. */
const PACKETS_WAITING_MAX = 180;

/** Read once for all readers. */
export interface RowHub {
  readonly ring: Ring;
  /** 0 before the first. */
  feedClockMs(): number;
  sourceKind(): SourceKindName;
  /** Aborts for good; the reason is the error. */
  readonly lost: AbortSignal;
  close(): Promise<void>;
}

interface RowHubDeps extends FollowRowsDeps {
  readonly packets: PacketHub;
}

async function openRowHub(symbol: string, deps: RowHubDeps): Promise<RowHub> {
  // The source outlives its first reader's request.
  return withRequestContext({ requestId: `stream-${symbol}` }, () => open(symbol, deps));
}

async function readFeedClock({ rows, logger }: RowHubDeps, symbol: string): Promise<number> {
  try {
    return (await rows.call.getFreshness({ symbol })).feedClockMs;
  } catch (error) {
    logger.warn({ err: error, symbol }, 'feed clock cannot be read; waiting for rows');
    return 0;
  }
}

async function open(symbol: string, deps: RowHubDeps): Promise<RowHub> {
  const { packets } = deps;
  const stop = new AbortController();
  const lost = new AbortController();
  const messages = followRows(deps, symbol, undefined, stop.signal);
  const head = await readHead(messages);
  let feedClockMs = await readFeedClock(deps, symbol);
  // No awaits from here on: a packet between `newestMs` and `follow` would be lost.
  const { epoch, ordinal } = head.after ?? { epoch: 0, ordinal: 0 };
  const start = { epoch, ordinal, windowEndMs: packets.newestMs(symbol), gapsSent: 0, packetSent: false };
  const ring = createRing(start, { framesMax: STREAM_LIMITS.ringFramesMax, bytesMax: STREAM_LIMITS.ringBytesMax });
  const gaps = createGapNumbers();
  const waiting: labeling.PacketRecord[] = [];

  function push(frame: Frame): void {
    if (isBeyond(frame, ring.head())) ring.push(frame);
  }

  /** A packet may arrive before the row that closed its window. */
  function pushPackets(upToOrdinal: number): void {
    while (waiting[0] !== undefined && waiting[0].closingOrdinal <= upToOrdinal) {
      const [record] = waiting.splice(0, 1);
      if (record !== undefined) push(rowFrame(packetRow(record), Date.now()));
    }
  }

  function pushRow(row: marketData.DataRow): void {
    feedClockMs = Math.max(feedClockMs, row.receivedTsMs);
    pushPackets(row.sequence - 1);
    push(rowFrame(row, Date.now()));
  }

  const stopPackets = packets.follow(symbol, (record) => {
    waiting.push(record);
    pushPackets(waiting.length > PACKETS_WAITING_MAX ? Number.MAX_SAFE_INTEGER : ring.head().ordinal);
  });

  function take({ frame }: marketData.StreamRowsResponse): void {
    switch (frame?.$case) {
      case 'rows':
        frame.value.rows.forEach(pushRow);
        pushPackets(ring.head().ordinal);
        return;
      case 'gap':
        push(gapFrame(frame.value, gaps.next(frame.value, ring.head())));
        return;
      case 'head':
        gaps.restart();
        return;
      case 'heartbeat':
        feedClockMs = Math.max(feedClockMs, frame.value.feedClockMs);
        return;
      default:
    }
  }

  async function run(): Promise<void> {
    try {
      for await (const message of messages) take(message);
    } catch (error) {
      lost.abort(toServiceError(error));
      ring.wake();
    }
  }

  const running = run();
  return {
    ring,
    feedClockMs: () => feedClockMs,
    sourceKind: () => fromProtoSourceKind(head.sourceKind),
    lost: lost.signal,
    async close() {
      stop.abort();
      stopPackets();
      ring.wake();
      await running;
    },
  };
}

interface HubLease {
  readonly hub: RowHub;
  release(): void;
}

export interface RowHubs {
  /** Opens it for the first reader. Rejects with the source's ServiceError. */
  enter(symbol: string): Promise<HubLease>;
  close(): Promise<void>;
}

interface Held {
  readonly hub: Promise<RowHub>;
  readers: number;
  linger?: NodeJS.Timeout;
}

/** Closes a hub some time after its last reader left, or when its source is lost. */
export function createRowHubs(deps: RowHubDeps): RowHubs {
  const held = new Map<string, Held>();
  const closing = new Set<Promise<void>>();

  function drop(symbol: string, entry: Held): void {
    clearTimeout(entry.linger);
    if (held.get(symbol) === entry) held.delete(symbol);
    const closed = entry.hub.then((hub) => hub.close()).catch(() => undefined);
    closing.add(closed);
    void closed.finally(() => closing.delete(closed));
  }

  function hold(symbol: string): Held {
    const known = held.get(symbol);
    if (known !== undefined) return known;
    const entry: Held = { hub: openRowHub(symbol, deps), readers: 0 };
    held.set(symbol, entry);
    entry.hub.then(
      (hub) => hub.lost.addEventListener('abort', () => drop(symbol, entry), { once: true }),
      () => drop(symbol, entry),
    );
    return entry;
  }

  function leave(symbol: string, entry: Held): void {
    entry.readers -= 1;
    if (entry.readers === 0) entry.linger = setTimeout(() => drop(symbol, entry), STREAM_LIMITS.hubLingerMs).unref();
  }

  return {
    async enter(symbol) {
      const entry = hold(symbol);
      entry.readers += 1;
      clearTimeout(entry.linger);
      try {
        const hub = await entry.hub;
        let left = false;
        const release = (): void => {
          if (!left) leave(symbol, entry);
          left = true;
        };
        return { hub, release };
      } catch (error) {
        entry.readers -= 1;
        throw error;
      }
    },
    async close() {
      for (const [symbol, entry] of [...held]) drop(symbol, entry);
      await Promise.all(closing);
    },
  };
}
