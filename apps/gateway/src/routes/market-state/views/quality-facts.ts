import type { marketData } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import { currentRequestId, requestIdOr, withRequestContext } from '@market-state/logging';
import type { MarketDataClient } from '../../../clients/market-data-client';
import type { PacketClient } from '../../../clients/packet-client';
import { readRecord } from '../../../clients/packets/read-packet';
import type { ServedPacket } from '../../../clients/served-packet';
import type { Upstreams } from '../../../clients/upstreams';

const HOUR_MS = 3_600_000;
/** Counts of the feed are asked for so often at most, milliseconds. */
const REJECTIONS_MS = 1_000;

/** Events that came late: since the log began, and in the hour up to a packet, or as much of it as there are packets of. */
export interface LateEvents {
  readonly since_log_began_total: number;
  readonly in_span_total: number;
  readonly span_seconds: number;
}

/** What is said of a packet's quality beside the packet: kept where it is of now. */
export interface QualityFacts {
  /** What the feed rejected, a second old at most. Rejects with a ServiceError where it does not answer. */
  rejections(symbol: string): Promise<marketData.GetRejectionsResponse>;
  /** Those up to a packet, as of an instant (0: now). Rejects with a ServiceError. */
  lateEvents(held: ServedPacket, asOfMs: number): Promise<LateEvents>;
  /** Both, where nothing must be asked for them. */
  known(held: ServedPacket): { readonly rejections: marketData.GetRejectionsResponse; readonly lateEvents: LateEvents } | null;
}

interface Counted {
  readonly answer: Promise<marketData.GetRejectionsResponse>;
  readonly askedMs: number;
  value: marketData.GetRejectionsResponse | null;
}

export function createQualityFacts(
  { marketData, packets }: Pick<Upstreams, 'packets'> & { readonly marketData: MarketDataClient },
  monotonicMs: () => number,
): QualityFacts {
  const counted = new Map<string, Counted>();
  /** The packet of an hour before is the same as long as a packet is the newest. */
  const late = new WeakMap<ServedPacket, { readonly answer: Promise<LateEvents>; value: LateEvents | null }>();

  function countedNow(symbol: string): Counted | undefined {
    const before = counted.get(symbol);
    return before !== undefined && monotonicMs() - before.askedMs < REJECTIONS_MS ? before : undefined;
  }

  return {
    rejections(symbol) {
      const before = countedNow(symbol);
      if (before !== undefined) return before.answer;
      const next: Counted = { answer: forAll(() => marketData.call.getRejections({ symbol })), askedMs: monotonicMs(), value: null };
      counted.set(symbol, next);
      next.answer.then(
        (value) => (next.value = value),
        // What failed is asked for again.
        () => counted.delete(symbol),
      );
      return next.answer;
    },
    lateEvents(held, asOfMs) {
      const before = asOfMs === 0 ? late.get(held) : undefined;
      if (before !== undefined) return before.answer;
      if (asOfMs !== 0) return readLateEvents(packets, held.packet, held.windowEndMs, asOfMs);
      const answer = forAll(() => readLateEvents(packets, held.packet, held.windowEndMs, asOfMs));
      const entry: { readonly answer: Promise<LateEvents>; value: LateEvents | null } = { answer, value: null };
      late.set(held, entry);
      answer.then(
        (value) => (entry.value = value),
        () => late.delete(held),
      );
      return answer;
    },
    known(held) {
      const [rejections, lateEvents] = [countedNow(held.symbol)?.value ?? null, late.get(held)?.value ?? null];
      return rejections === null || lateEvents === null ? null : { rejections, lateEvents };
    },
  };
}

/** Asks in the name of all who wait for it: whoever asked first may go away. */
function forAll<T>(ask: () => Promise<T>): Promise<T> {
  return withRequestContext({ requestId: requestIdOr(currentRequestId()) }, ask);
}

async function readLateEvents(client: PacketClient, packet: Packet, windowEndMs: number, asOfMs: number): Promise<LateEvents> {
  const fromWindowEndMs = windowEndMs - HOUR_MS;
  const { packets } = await client.call.listPackets({
    symbol: packet.symbol,
    fromWindowEndMs,
    toWindowEndMs: windowEndMs + 1,
    pageSize: 1,
    pageToken: '',
    descending: false,
    asOfMs,
  });
  const [earliest] = packets.map((record) => readRecord(record).logged);
  const total = packet.source_resolution.late_event_total;
  const earlier = earliest?.packet.source_resolution.late_event_total ?? total;
  return {
    since_log_began_total: total,
    in_span_total: Math.max(0, total - earlier),
    span_seconds: (windowEndMs - (earliest?.windowEndMs ?? windowEndMs)) / 1_000,
  };
}
