import type { labeling } from '@market-state/contracts';
import { isServiceError, notFound } from '@market-state/errors';
import type { LoggedBrief, PacketBrief, LoggedPacket } from '@market-state/packet-views';
import { type MarketDataClient, refuseBeforeRetention } from '../market-data-client';
import { publicGap } from '../../serving/answers/public-row';
import { definitions } from '../../serving/meta/definitions';
import { type PacketClient, newestPacket, newestWindowEndAt, packetOfEvent, fromProtoPacket, type ServedPacket } from '../packet-client';
import type { Upstreams } from '../upstreams';
import { toUtc } from '../../serving/meta/instant';

type Neighbours = Pick<Upstreams, 'packets' | 'marketData'>;

/** A stored packet as views read it: the row around it, and the packet itself. */
interface PacketRead {
  readonly record: labeling.PacketRecord;
  readonly held: ServedPacket;
  readonly logged: LoggedPacket;
}

/** The packets that `latest` answers with. */
export interface NewestPackets {
  /** The newest packet of a symbol. Throws a ServiceError when there is none. */
  newest(symbol: string): Promise<ServedPacket>;
}

export function readRecord(record: labeling.PacketRecord): PacketRead {
  const held = fromProtoPacket(record);
  return { record, held, logged: { packet: held.packet, windowEndMs: record.windowEndMs, sequence: record.sequence } };
}

/** The event as it was at an instant; null where it was not known then, or is not at all. */
async function knownAt({ packets }: Neighbours, eventId: string, asOfMs: number): Promise<labeling.PacketRecord | null> {
  try {
    return await packetOfEvent(packets, eventId, asOfMs);
  } catch (error) {
    if (asOfMs === 0 || !isServiceError(error, 'unknown_packet')) throw error;
    return null;
  }
}

/**
 * The packet of an event, if it was known at an instant (0: now).
 * @throws ServiceError `unknown_packet` for an event that there is not, or was not then; `beyond_retention` for an instant from before what
 * is kept
 */
export async function readEventPacket(neighbours: Neighbours, eventId: string, asOfMs: number): Promise<PacketRead> {
  const known = await knownAt(neighbours, eventId, asOfMs);
  const record = known ?? (await packetOfEvent(neighbours.packets, eventId, 0));
  if (asOfMs !== 0) await refuseBeforeRetention(neighbours.marketData, record.symbol, asOfMs);
  if (known === null) throw notFound('unknown_packet', `The event was not known yet at ${toUtc(asOfMs)}.`);
  return readRecord(known);
}

/** Window end of the packet that `readNewestPacket` gives, milliseconds. @throws ServiceError `unknown_symbol`, `no_packet_yet` */
export async function newestWindowEnd(packets: PacketClient, latest: NewestPackets, symbol: string, asOfMs: number): Promise<number> {
  return asOfMs === 0 ? (await latest.newest(symbol)).windowEndMs : newestWindowEndAt(packets, symbol, asOfMs);
}

/**
 * The newest packet of a symbol: for now the one that `latest` answers with, else the newest that was known at an instant.
 * @throws ServiceError `unknown_symbol`, `no_packet_yet`, and `beyond_retention` for an instant from before what is kept
 */
export async function readNewestPacket(
  { packets, marketData }: Neighbours,
  latest: NewestPackets,
  symbol: string,
  asOfMs: number,
): Promise<ServedPacket> {
  if (asOfMs === 0) return latest.newest(symbol);
  await refuseBeforeRetention(marketData, symbol, asOfMs);
  return fromProtoPacket(await newestPacket(packets, symbol, asOfMs));
}

/** How many packets on each side of a packet are wanted. */
interface Reach {
  readonly before: number;
  readonly after: number;
}

/** A packet's place in its symbol's log, and the instant as of which its neighbours are read (0: now). */
interface Place {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly asOfMs: number;
}

function toLogged({ windowEndMs, sequence, brief }: labeling.PacketBrief): LoggedBrief {
  return { windowEndMs, sequence, packet: JSON.parse(brief.toString('utf8')) as PacketBrief };
}

/** The packets on each side of a packet, oldest first; fewer where there are no more. */
export async function readNeighbours(
  { call }: PacketClient,
  place: Place,
  reach: Reach,
): Promise<{ readonly before: LoggedBrief[]; readonly after: LoggedBrief[] }> {
  const { before, after } = await call.listNeighbours({ ...place, ...reach });
  return { before: before.map(toLogged), after: after.map(toLogged) };
}

/** A packet's gap flags speak of so many milliseconds before its window's end. */
export const FLAGS_REACH_MS = definitions.numbers.windows.quality_ms;

/** Entries of the gap ledger that are given, at most. */
const GAPS_MAX = 100;

/** A span of exchange time, milliseconds since the epoch, and the instant as of which the ledger is read (0: now). */
interface LedgerSpan {
  readonly symbol: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly asOfMs: number;
}

/** Gaps and seams that overlap a span, oldest first, and whether there are more. */
export async function readLedgerGaps(client: MarketDataClient, { symbol, fromMs, toMs, asOfMs }: LedgerSpan) {
  const { gaps, nextPageToken } = await client.call.listGaps({ symbol, fromMs, toMs, pageSize: GAPS_MAX, pageToken: '', asOfMs });
  return { rows: gaps.map(publicGap), row_total: gaps.length, more: nextPageToken !== '' };
}
