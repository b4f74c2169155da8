import type { marketData } from '@market-state/contracts';
import { toServiceError } from '@market-state/errors';
import { withRequestContext } from '@market-state/logging';
import { fromProtoSourceKind } from '../clients/source-kind';
import type { SourceKindName } from '../http/meta';
import { followRows, type FollowRowsDeps, readHead } from './follow-rows';
import { STREAM_LIMITS } from './limits';
import type { PacketHub } from './packet-hub';
import { gapFrame, packetRow, rowFrame } from './render-frames';
import { createRing, type Ring } from './ring';

/** The live rows, gaps and packets of one symbol, read once for all readers. */
export interface RowHub {
  readonly ring: Ring;
  /** Newest instant of the feed clock that was heard, milliseconds since the epoch; 0 before the first. */
  feedClockMs(): number;
  sourceKind(): SourceKindName;
  /** Aborts when the source is lost for good; its reason is the error. */
  readonly lost: AbortSignal;
  close(): Promise<void>;
}

export interface RowHubDeps extends FollowRowsDeps {
  readonly packets: PacketHub;
}

/** Opens the source of a symbol: resolves when it says what it streams, rejects with its ServiceError when it refuses. */
export async function openRowHub(symbol: string, deps: RowHubDeps): Promise<RowHub> {
  // The source outlives the request of its first reader.
  return withRequestContext({ requestId: `stream-${symbol}` }, () => open(symbol, deps));
}

async function open(symbol: string, deps: RowHubDeps): Promise<RowHub> {
  const { packets } = deps;
  const stop = new AbortController();
  const lost = new AbortController();
  const messages = followRows(deps, symbol, undefined, stop.signal);
  const head = await readHead(messages);
  const { epoch, ordinal, packetWindowEndMs } = head.after ?? { epoch: 0, ordinal: 0, packetWindowEndMs: 0 };
  const start = { epoch, ordinal, windowEndMs: packets.newestMs(symbol), gapTold: packetWindowEndMs > 0, packetTold: false };
  const ring = createRing(start, { framesMax: STREAM_LIMITS.ringFramesMax, bytesMax: STREAM_LIMITS.ringBytesMax });
  let feedClockMs = 0;
  const stopPackets = packets.follow(symbol, (record) => {
    if (record.windowEndMs > ring.head().windowEndMs) ring.push(rowFrame(packetRow(record)));
  });

  function take({ frame }: marketData.StreamRowsResponse): void {
    switch (frame?.$case) {
      case 'rows':
        for (const row of frame.value.rows) {
          feedClockMs = Math.max(feedClockMs, row.receivedTsMs);
          if (row.sequence > ring.head().ordinal) ring.push(rowFrame(row));
        }
        return;
      case 'gap':
        ring.push(gapFrame(frame.value, ring.head()));
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
