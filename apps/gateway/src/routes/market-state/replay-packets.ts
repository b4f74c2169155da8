import type { labeling } from '@market-state/contracts';
import { lineageDigest, sha256Hex } from '@market-state/labeler';
import { inTurns } from '@market-state/lifecycle';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { servedSymbols } from '../../clients/market-data-client';
import { type PacketClient, fromProtoPacket } from '../../clients/packet-client';
import type { Upstreams } from '../../clients/upstreams';
import { refusePacketsBeyondRetention, storedAnswer } from '../../clients/packets/stored-answer';
import { jsonBytes, splicedRepresentation, withCommas } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import { type StoredRow, storedRow } from '../../caches/latest/stored-row';
import { toCompactRow } from '../../serving/answers/packet-answer';
import { readLedgerGaps, type NewestPackets, newestWindowEnd } from '../../clients/packets/read-packet';
import type { Handler } from '../../serving/answers/handler';
import { InvalidRequest } from '../../serving/errors/problem';

/** What every replay cursor begins with. */
const PREFIX = 'rc1.';
/** Of a packet: it opens the window that ends with it. */
const OF_PACKET = /^rc1\.([A-Z0-9]{1,20}USD-PERP)\.(\d{1,15})$/;
const OF_PAGE = z.tuple([z.literal('p1'), z.string(), z.int().min(0), z.int().min(0), z.int().min(0), z.int().min(0)]);

/** A window of packets: those whose window ends after `afterMs` and by `endMs`, milliseconds since the epoch. */
interface PacketWindow {
  readonly symbol: string;
  readonly startMs: number;
  readonly endMs: number;
  /** 0: now. */
  readonly asOfMs: number;
}

/** Where a replay is to be taken up. */
type ReplayPlace =
  /** At the start of the window that ends with the newest packet. */
  | { readonly kind: 'newest' }
  /** At the start of the window that ends here. */
  | { readonly kind: 'ends_at'; readonly endMs: number }
  /** Inside a window, after a packet. */
  | { readonly kind: 'goes_on'; readonly endMs: number; readonly afterMs: number };

/** What a replay was asked for. */
interface ReplayAsked {
  readonly symbol: string;
  readonly windowMs: number;
  readonly asOfMs: number;
}

/** @throws InvalidRequest for a cursor that is none, or that belongs to another symbol, window or instant */
function readReplayCursor(cursor: string, { symbol, windowMs, asOfMs }: ReplayAsked): ReplayPlace {
  if (cursor === '') return { kind: 'newest' };
  const ofPacket = OF_PACKET.exec(cursor);
  if (ofPacket !== null) {
    if (ofPacket[1] !== symbol) throw refused(`is of ${String(ofPacket[1])}, not of ${symbol}`);
    return { kind: 'ends_at', endMs: Number(ofPacket[2]) };
  }
  const page = cursor.startsWith(PREFIX) ? readToken(OF_PAGE, cursor.slice(PREFIX.length)) : undefined;
  if (page === undefined) throw refused('must be the next_cursor of an earlier answer, or the replay cursor of a packet');
  const [, ofSymbol, ofWindowMs, endMs, ofAsOfMs, afterMs] = page;
  if (ofSymbol !== symbol || ofWindowMs !== windowMs || ofAsOfMs !== asOfMs)
    throw refused('goes with the symbol, replay_window_seconds and as_of that it was given for');
  return { kind: 'goes_on', endMs, afterMs };
}

/** The place after a packet of a window. */
function writeReplayCursor({ symbol, startMs, endMs, asOfMs }: PacketWindow, afterMs: number): string {
  return PREFIX + writeToken(['p1', symbol, endMs - startMs, endMs, asOfMs, afterMs]);
}

function refused(msg: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['query', 'cursor'], msg, type: 'malformed' }]);
}

/** What is not as it should be with the first packet that breaks a chain. */
type LineageFault =
  /** Its body does not have the digest that stands on it. */
  | 'body_changed'
  /** Its lineage digest is not that of its body and the lineage before it. */
  | 'lineage_wrong'
  /** It does not follow the packet before it: another chain begins, or packets are missing. */
  | 'not_linked';

interface LineageBreak {
  readonly event_id: string;
  readonly fault: LineageFault;
}

/** Looks at packets one after the other: whether digests, worked out anew from the bodies, make one chain. */
class LineageCheck {
  /** The first packet that breaks the chain; null as long as none does. */
  broken: LineageBreak | null = null;

  /** @param before the packet before the first, if there is one */
  constructor(private before: Pick<labeling.PacketRecord, 'lineageDigest'> | undefined) {}

  /** @param previous the lineage digest before it, as its body has it */
  take(record: labeling.PacketRecord, previous: string): void {
    if (this.broken !== null) return;
    const fault = faultOf(record, previous, this.before);
    if (fault !== null) this.broken = { event_id: record.eventId, fault };
    this.before = record;
  }
}

function faultOf(
  { body, packetDigest, lineageDigest: told }: labeling.PacketRecord,
  previous: string,
  before: Pick<labeling.PacketRecord, 'lineageDigest'> | undefined,
): LineageFault | null {
  if (sha256Hex(body) !== packetDigest) return 'body_changed';
  if (lineageDigest(previous, packetDigest) !== told) return 'lineage_wrong';
  return before !== undefined && previous !== before.lineageDigest ? 'not_linked' : null;
}

/** Rows of one answer: a page ends there, whatever its limit. As many packets in their compact view are always less. */
const PAGE_BYTES_MAX = 8 * 1_024 * 1_024;

export function replayPackets({ packets, marketData }: Upstreams, latest: NewestPackets, now: () => number): Handler<'replayPackets'> {
  return async ({ operation, grant, input }) => {
    const symbol = input.query.symbol;
    const windowMs = input.query.replay_window_seconds * 1_000;
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const place = readReplayCursor(input.query.cursor, { symbol, windowMs, asOfMs });
    const served = await servedSymbols(marketData);
    const endMs = place.kind === 'newest' ? await newestWindowEnd(packets, latest, symbol, asOfMs) : place.endMs;
    const window: PacketWindow = { symbol, startMs: Math.max(0, endMs - windowMs), endMs, asOfMs };
    const afterMs = place.kind === 'goes_on' ? place.afterMs : window.startMs;
    const isCompact = input.query.view === 'compact';
    const { rows, first, last, lineageBreak, hasMore } = await readRows(packets, window, afterMs, input.query.limit, (record, row) =>
      isCompact ? jsonBytes(toCompactRow(fromProtoPacket(record), grant?.sandbox)) : row.withPacket(),
    );
    if (first === undefined) await refusePacketsBeyondRetention(packets, { symbol, asOfMs, toMs: endMs + 1 });
    const { rows: gaps, more } = await readLedgerGaps(marketData, {
      symbol,
      fromMs: first === undefined ? window.startMs : first.windowEndMs - 10_000,
      toMs: (last?.windowEndMs ?? endMs) + 1,
      asOfMs,
    });
    const read = {
      symbol,
      served,
      asOfMs,
      nowMs: now(),
      found: first !== undefined,
      detail: first === undefined ? 'The window has no packet.' : 'Packets are as they were stored.',
    };
    const fields = {
      replay_window_seconds: windowMs / 1_000,
      window_start_utc: toUtc(window.startMs),
      window_end_utc: toUtc(endMs),
      packet_total: rows.length,
      packets: [],
      gaps,
      gaps_more: more,
      lineage_verified: first !== undefined && lineageBreak === null,
      lineage_break: lineageBreak,
      next_cursor: hasMore && last !== undefined ? writeReplayCursor(window, last.windowEndMs) : null,
    };
    const past = first === undefined ? undefined : { symbols: [symbol], throughMs: 0, upToNewest: asOfMs === 0 && place.kind === 'newest' };
    const answer = await splicedRepresentation(storedAnswer({ operation, grant }, read, fields), 'packets', withCommas(rows));
    return { ...answer, observed: rows.length, past };
  };
}

interface RowsPage {
  readonly rows: readonly Buffer[];
  readonly first: labeling.PacketRecord | undefined;
  readonly last: labeling.PacketRecord | undefined;
  readonly lineageBreak: LineageBreak | null;
  readonly hasMore: boolean;
}

/** Rows of a window's packets after an instant, oldest first, at most `limit`, and no more bytes than an answer may have. */
async function readRows(
  packets: PacketClient,
  { symbol, endMs, asOfMs }: PacketWindow,
  afterMs: number,
  limit: number,
  show: (record: labeling.PacketRecord, row: StoredRow<'previous_lineage_digest'>) => Buffer,
): Promise<RowsPage> {
  const rows: Buffer[] = [];
  let sizeBytes = 0;
  let lineage: LineageCheck | undefined;
  let first: labeling.PacketRecord | undefined;
  let last: labeling.PacketRecord | undefined;
  const pageOf = (hasMore: boolean): RowsPage => ({ rows, first, last, lineageBreak: lineage?.broken ?? null, hasMore });
  for (let pageToken = ''; ; ) {
    const request = {
      symbol,
      fromWindowEndMs: afterMs + 1,
      toWindowEndMs: endMs + 1,
      pageSize: limit - rows.length,
      pageToken,
      descending: false,
      asOfMs,
    };
    if (request.fromWindowEndMs >= request.toWindowEndMs) return pageOf(false);
    const page = await packets.call.listPackets(request);
    first ??= page.packets[0];
    const chain = (lineage ??= new LineageCheck(first === undefined ? undefined : await packetBefore(packets, first)));
    const made = await inTurns(page.packets, (record) => {
      const row = storedRow(record, ['previous_lineage_digest']);
      return { record, row: show(record, row), previous: row.member('previous_lineage_digest') };
    });
    for (const { record, row, previous } of made) {
      sizeBytes += row.length;
      if (rows.length > 0 && sizeBytes > PAGE_BYTES_MAX) return pageOf(true);
      chain.take(record, previous);
      rows.push(row);
      last = record;
    }
    if (page.nextPageToken === '') return pageOf(false);
    if (rows.length === limit) return pageOf(true);
    pageToken = page.nextPageToken;
  }
}

/** The packet before one in the packet log, in brief; undefined where none is kept. */
async function packetBefore(
  { call }: PacketClient,
  { symbol, windowEndMs }: labeling.PacketRecord,
): Promise<labeling.PacketBrief | undefined> {
  const { before } = await call.listNeighbours({ symbol, windowEndMs, before: 1, after: 0, asOfMs: 0 });
  return before[0];
}
