import type { labeling } from '@market-state/contracts';
import { lineageDigest, parseReplayCursor, sha256Hex } from '@market-state/labeler';
import { inSlices } from '@market-state/lifecycle';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { type StoredRow, storedRow } from '../../caches/latest/render-latest';
import { servedSymbols } from '../../clients/market-data-client';
import { fromProtoPacket, type PacketClient, refusePacketsBeyondRetention } from '../../clients/packet-client';
import { type NewestPackets, newestWindowEnd, readLedgerGaps } from '../../clients/packets/read-packet';
import { storedAnswer } from '../../clients/packets/stored-answer';
import type { ReadDeps } from '../../clients/upstreams';
import type { Handler } from '../../serving/answers/handler';
import { toCompactRow } from '../../serving/answers/packet-answer';
import { InvalidRequest } from '../../serving/errors/problem';
import { jsonBytes, splicedRepresentation, withCommas } from '../../serving/http/representation';
import { parseInstant, toUtc } from '../../serving/meta/meta';

const PREFIX = 'rc1.';
const OF_PAGE = z.tuple([z.literal('p1'), z.string(), z.int().min(0), z.int().min(0), z.int().min(0), z.int().min(0)]);

/** Packets whose window ends in (`startMs`, `endMs`], milliseconds since the epoch. */
interface PacketWindow {
  readonly symbol: string;
  readonly startMs: number;
  readonly endMs: number;
  /** 0: now. */
  readonly asOfMs: number;
}

/** Start position of a replay. */
type ReplayPosition =
  /** Start of the window that ends with the newest packet. */
  | { readonly kind: 'newest' }
  /** Start of the window that ends here. */
  | { readonly kind: 'ends_at'; readonly endMs: number }
  /** After a packet inside a window. */
  | { readonly kind: 'goes_on'; readonly endMs: number; readonly afterMs: number };

interface ReplayRequest {
  readonly symbol: string;
  readonly windowMs: number;
  readonly asOfMs: number;
}

/** @throws InvalidRequest if the cursor is malformed or belongs to another symbol, window or instant */
function readReplayCursor(cursor: string, { symbol, windowMs, asOfMs }: ReplayRequest): ReplayPosition {
  if (cursor === '') return { kind: 'newest' };
  // A packet's cursor selects the window that ends with it.
  const ofPacket = parseReplayCursor(cursor);
  if (ofPacket !== null) {
    if (ofPacket.market !== symbol) throw refused(`belongs to ${ofPacket.market}, not to ${symbol}`);
    return { kind: 'ends_at', endMs: ofPacket.windowEndMs };
  }
  const page = cursor.startsWith(PREFIX) ? readToken(OF_PAGE, cursor.slice(PREFIX.length)) : undefined;
  if (page === undefined) throw refused('must be a next_cursor from an earlier response, or the replay cursor of a packet');
  const [, ofSymbol, ofWindowMs, endMs, ofAsOfMs, afterMs] = page;
  if (ofSymbol !== symbol || ofWindowMs !== windowMs || ofAsOfMs !== asOfMs)
    throw refused('was issued for a different symbol, replay_window_seconds or as_of');
  return { kind: 'goes_on', endMs, afterMs };
}

function writeReplayCursor({ symbol, startMs, endMs, asOfMs }: PacketWindow, afterMs: number): string {
  return PREFIX + writeToken(['p1', symbol, endMs - startMs, endMs, asOfMs, afterMs]);
}

function refused(msg: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['query', 'cursor'], msg, type: 'malformed' }]);
}

/** Defect of the first packet that breaks a chain. */
type LineageFault =
  /** The body does not match its digest. */
  | 'body_changed'
  /** The lineage digest does not match the body and the preceding lineage. */
  | 'lineage_wrong'
  /** The packet does not follow its predecessor: a new chain starts, or packets are missing. */
  | 'not_linked';

interface LineageBreak {
  readonly event_id: string;
  readonly fault: LineageFault;
}

class LineageCheck {
  /** Null while the chain is intact. */
  broken: LineageBreak | null = null;

  /** @param before predecessor of the first packet, if any */
  constructor(private before: Pick<labeling.PacketRecord, 'lineageDigest'> | undefined) {}

  /** @param previous preceding lineage digest according to the body */
  take(record: labeling.PacketRecord, previous: string): void {
    if (this.broken !== null) return;
    const fault = faultOf(record, previous, this.before);
    if (fault !== null) this.broken = { event_id: record.eventId, fault };
    this.before = record;
  }
}

function faultOf(
  { body, packetDigest, lineageDigest: reported }: labeling.PacketRecord,
  previous: string,
  before: Pick<labeling.PacketRecord, 'lineageDigest'> | undefined,
): LineageFault | null {
  if (sha256Hex(body) !== packetDigest) return 'body_changed';
  if (lineageDigest(previous, packetDigest) !== reported) return 'lineage_wrong';
  return before !== undefined && previous !== before.lineageDigest ? 'not_linked' : null;
}

/** A page ends at this size even below its `limit`. Pages in compact view never reach it. */
const PAGE_BYTES_MAX = 8 * 1_024 * 1_024;

export function replayPackets({
  packets,
  marketData,
  latest,
  now,
}: ReadDeps & { readonly latest: NewestPackets }): Handler<'replayPackets'> {
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
      detail: first === undefined ? 'The window has no packets.' : 'Packets are returned as stored.',
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
    const answer = await splicedRepresentation(storedAnswer({ operation, grant }, read, fields), { packets: withCommas(rows) });
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

/** Rows after an instant, oldest first, limited by count and by `PAGE_BYTES_MAX`. */
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
    const made = await inSlices(page.packets, (record) => {
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

/** Predecessor of a packet; undefined if none is retained. */
async function packetBefore(
  { call }: PacketClient,
  { symbol, windowEndMs }: labeling.PacketRecord,
): Promise<labeling.PacketBrief | undefined> {
  const { before } = await call.listNeighbours({ symbol, windowEndMs, before: 1, after: 0, asOfMs: 0 });
  return before[0];
}
