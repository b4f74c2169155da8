import { failedPrecondition } from '@market-state/errors';
import type { PacketClient } from '../packet-client';
import { type ServedSymbol, sharedVenue } from '../market-data-client';
import { toUtc } from '../../serving/meta/meta';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { CallContext } from '../../serving/answers/handler';

export interface StoredRead {
  /** `ALL`: every symbol. */
  readonly symbol: string;
  readonly served: readonly ServedSymbol[];
  /** Requested instant; 0: now. */
  readonly asOfMs: number;
  readonly nowMs: number;
  readonly detail: string;
  readonly found: boolean;
}

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

/** Packet windows of a read that found nothing. */
interface EmptyRead {
  readonly symbol: string;
  /** 0: now. */
  readonly asOfMs: number;
  /** Exclusive; 0: no end. */
  readonly toMs: number;
}

/** @throws ServiceError `beyond_retention` with the oldest instant, if the data is no longer retained */
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
  throw failedPrecondition('beyond_retention', `No packet of ${symbol} from before ${toUtc(oldest.windowEndMs)} is retained.`, {
    metadata: { oldest_ms: String(oldest.windowEndMs) },
  });
}
