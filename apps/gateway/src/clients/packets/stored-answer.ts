import { failedPrecondition } from '@market-state/errors';
import type { PacketClient } from '../packet-client';
import { type ServedSymbol, sharedVenue } from '../market-data-client';
import { toUtc } from '../../serving/meta/instant';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { CallContext } from '../../serving/answers/handler';

/** A read of what is stored, of one symbol or of every one. */
export interface StoredRead {
  /** `ALL`: every symbol. */
  readonly symbol: string;
  readonly served: readonly ServedSymbol[];
  /** Instant asked for, milliseconds since the epoch; 0: now. */
  readonly asOfMs: number;
  readonly nowMs: number;
  /** What was found, in a sentence. */
  readonly detail: string;
  /** Whether anything was found. */
  readonly found: boolean;
}

/** An answer made of stored packets: what it says of itself, its own fields, and `meta`. */
export function storedAnswer<T extends object>(
  call: Pick<CallContext, 'operation' | 'grant'>,
  { symbol, served, asOfMs, nowMs, detail, found }: StoredRead,
  fields: T,
) {
  const read = served.filter((candidate) => symbol === 'ALL' || candidate.symbol === symbol);
  const source = {
    symbol,
    venue: sharedVenue(read),
    asOfMs: asOfMs === 0 ? nowMs : Math.min(asOfMs, nowMs),
    kinds: read.map(({ kind }) => kind),
    state: 'fresh',
    detail,
    held: found ? 'all' : 'none',
    stored: true,
  } as const;
  return dataAnswer(call, source, { not_a_signal: true as const, ...fields });
}

/** Windows of packets, milliseconds since the epoch: what a read that found nothing was about. */
interface EmptyRead {
  readonly symbol: string;
  /** 0: now. */
  readonly asOfMs: number;
  /** Exclusive; 0: no end. */
  readonly toMs: number;
}

/**
 * Refuses a read that found nothing because it is about what is no longer kept.
 * @throws ServiceError `beyond_retention` with the oldest instant
 */
export async function refusePacketsBeyondRetention(packets: PacketClient, { symbol, asOfMs, toMs }: EmptyRead): Promise<void> {
  const { packets: found } = await packets.call.listPackets({
    symbol,
    fromWindowEndMs: 0,
    toWindowEndMs: 0,
    pageSize: 1,
    pageToken: '',
    descending: false,
    asOfMs: 0,
  });
  const [oldest] = found;
  if (oldest === undefined) return;
  const isBefore = (instantMs: number, oldestMs: number): boolean => instantMs !== 0 && instantMs < oldestMs;
  if (!isBefore(asOfMs, oldest.knownTsMs) && !isBefore(toMs, oldest.windowEndMs + 1)) return;
  throw failedPrecondition('beyond_retention', `No packet of ${symbol} from before ${toUtc(oldest.windowEndMs)} is kept.`, {
    metadata: { oldest_ms: String(oldest.windowEndMs) },
  });
}
