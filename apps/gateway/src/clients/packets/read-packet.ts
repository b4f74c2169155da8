import type { labeling } from '@market-state/contracts';
import { isServiceError, notFound } from '@market-state/errors';
import type { LoggedBrief, LoggedPacket, PacketBrief } from '@market-state/packet-views';
import { publicGap } from '../../serving/answers/public-row';
import { toUtc, definitions } from '../../serving/meta/meta';
import { type MarketDataClient, refuseBeforeRetention } from '../market-data-client';
import { fromProtoPacket, newestPacket, newestWindowEndAt, type PacketClient, packetOfEvent, type ServedPacket } from '../packet-client';
import type { Upstreams } from '../upstreams';

type PacketSources = Pick<Upstreams, 'packets' | 'marketData'>;

interface PacketRead {
  readonly record: labeling.PacketRecord;
  readonly held: ServedPacket;
  readonly logged: LoggedPacket;
}

export interface NewestPackets {
  newest(symbol: string): Promise<ServedPacket>;
}

export function readRecord(record: labeling.PacketRecord): PacketRead {
  const held = fromProtoPacket(record);
  return { record, held, logged: { packet: held.packet, windowEndMs: record.windowEndMs, sequence: record.sequence } };
}

/** Returns null if the event is unknown, or was then. */
async function knownAt({ packets }: PacketSources, eventId: string, asOfMs: number): Promise<labeling.PacketRecord | null> {
  try {
    return await packetOfEvent(packets, eventId, asOfMs);
  } catch (error) {
    if (asOfMs === 0 || !isServiceError(error, 'unknown_packet')) throw error;
    return null;
  }
}

/**
 * Read as of an instant (0: now).
 * @throws ServiceError `unknown_packet` if the event does not exist or was not known then; `beyond_retention` for an
 * instant before the retained data
 */
export async function readEventPacket(sources: PacketSources, eventId: string, asOfMs: number): Promise<PacketRead> {
  const known = await knownAt(sources, eventId, asOfMs);
  const record = known ?? (await packetOfEvent(sources.packets, eventId, 0));
  if (asOfMs !== 0) await refuseBeforeRetention(sources.marketData, record.symbol, asOfMs);
  if (known === null) throw notFound('unknown_packet', `The event was not yet known at ${toUtc(asOfMs)}.`);
  return readRecord(known);
}

/** @throws ServiceError `unknown_symbol`, `no_packet_yet` */
export async function newestWindowEnd(packets: PacketClient, latest: NewestPackets, symbol: string, asOfMs: number): Promise<number> {
  return asOfMs === 0 ? (await latest.newest(symbol)).windowEndMs : newestWindowEndAt(packets, symbol, asOfMs);
}

/**
 * The packet of `latest`, or the newest known at a past instant.
 * @throws ServiceError `unknown_symbol`, `no_packet_yet`, `beyond_retention`
 */
export async function readNewestPacket(
  { packets, marketData }: PacketSources,
  latest: NewestPackets,
  symbol: string,
  asOfMs: number,
): Promise<ServedPacket> {
  if (asOfMs === 0) return latest.newest(symbol);
  await refuseBeforeRetention(marketData, symbol, asOfMs);
  return fromProtoPacket(await newestPacket(packets, symbol, asOfMs));
}

interface Reach {
  readonly before: number;
  readonly after: number;
}

/** `asOfMs`: 0 means now. */
interface Place {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly asOfMs: number;
}

function toLogged({ windowEndMs, sequence, brief }: labeling.PacketBrief): LoggedBrief {
  return { windowEndMs, sequence, packet: JSON.parse(brief.toString('utf8')) as PacketBrief };
}

/** Oldest first; fewer at the ends of the log. */
export async function readAdjacentPackets(
  { call }: PacketClient,
  place: Place,
  reach: Reach,
): Promise<{ readonly before: LoggedBrief[]; readonly after: LoggedBrief[] }> {
  const { before, after } = await call.listNeighbours({ ...place, ...reach });
  return { before: before.map(toLogged), after: after.map(toLogged) };
}

/** Time before the window end that a packet's gap flags cover. */
export const FLAGS_REACH_MS = definitions.numbers.windows.quality_ms;

const GAPS_MAX = 100;

/** Exchange time; `asOfMs` 0 means now. */
interface LedgerSpan {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly asOfMs: number;
}

/** Oldest first, with a flag if more exist. */
export async function readLedgerGaps(client: MarketDataClient, { symbol, fromMs, toMs, asOfMs }: LedgerSpan) {
  const { gaps, nextPageToken } = await client.call.listGaps({ symbol, fromMs, toMs, pageSize: GAPS_MAX, pageToken: '', asOfMs });
  return { rows: gaps.map(publicGap), row_total: gaps.length, more: nextPageToken !== '' };
}
