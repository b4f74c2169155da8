import type { labeling } from '@market-state/contracts';
import { servedSymbols } from '../../clients/market-data-client';
import type { PacketClient } from '../../clients/packet-client';
import type { Upstreams } from '../../clients/upstreams';
import { LineageCheck } from './events/lineage';
import { type PacketWindow, readReplayCursor, writeReplayCursor } from './events/replay-cursor';
import { refusePacketsBeyondRetention, storedAnswer } from '../../clients/packets/stored-answer';
import { inTurns } from '@market-state/lifecycle';
import { jsonBytes, splicedRepresentation, withCommas } from '../../serving/http/spliced-representation';
import { toUtc } from '../../serving/meta/utc';
import { storedRow } from '../../boards/stored-row';
import { toCompactRow } from '../../serving/answers/compact-row';
import { parseInstant } from '../../serving/validation/instant';
import { readLedgerGaps } from '../../clients/packets/ledger-gaps';
import { type NewestPackets, newestWindowEnd } from '../../clients/packets/read-packet';
import { fromProtoPacket } from '../../clients/served-packet';
import type { Handler } from '../../serving/handlers/handler';

/** Bodies of one answer: a page ends there, whatever its limit. */
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
    const page = await readPackets(packets, window, place.kind === 'goes_on' ? place.afterMs : window.startMs, input.query.limit);
    const [first] = page.records;
    const last = page.records.at(-1);
    if (first === undefined) await refusePacketsBeyondRetention(packets, { symbol, asOfMs, toMs: endMs + 1 });
    const [before, { rows: gaps, more }] = await Promise.all([
      first === undefined ? undefined : packetBefore(packets, first),
      readLedgerGaps(marketData, {
        symbol,
        fromMs: first === undefined ? window.startMs : first.windowEndMs - 10_000,
        toMs: (last?.windowEndMs ?? endMs) + 1,
        asOfMs,
      }),
    ]);
    const lineage = new LineageCheck(before);
    const rows = await inTurns(page.records, (record) => {
      const row = storedRow(record, ['previous_lineage_digest']);
      lineage.take(record, row.member('previous_lineage_digest'));
      return input.query.view === 'compact' ? jsonBytes(toCompactRow(fromProtoPacket(record), grant?.sandbox)) : row.withPacket();
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
      packet_total: page.records.length,
      packets: [],
      gaps,
      gaps_more: more,
      lineage_verified: first !== undefined && lineage.broken === null,
      lineage_break: lineage.broken,
      next_cursor: page.hasMore && last !== undefined ? writeReplayCursor(window, last.windowEndMs) : null,
    };
    const past = first === undefined ? undefined : { symbols: [symbol], throughMs: 0, upToNewest: asOfMs === 0 && place.kind === 'newest' };
    const answer = await splicedRepresentation(storedAnswer({ operation, grant }, read, fields), 'packets', withCommas(rows));
    return { ...answer, observed: page.records.length, past };
  };
}

interface PacketsPage {
  readonly records: readonly labeling.PacketRecord[];
  readonly hasMore: boolean;
}

/** Packets of a window after a place, oldest first, at most `limit`, and no more bytes than an answer may have. */
async function readPackets(
  { call }: PacketClient,
  { symbol, endMs, asOfMs }: PacketWindow,
  afterMs: number,
  limit: number,
): Promise<PacketsPage> {
  const records: labeling.PacketRecord[] = [];
  let bytes = 0;
  for (let pageToken = ''; ; ) {
    const request = {
      symbol,
      fromWindowEndMs: afterMs + 1,
      toWindowEndMs: endMs + 1,
      pageSize: limit,
      pageToken,
      descending: false,
      asOfMs,
    };
    if (request.fromWindowEndMs >= request.toWindowEndMs) return { records, hasMore: false };
    const page = await call.listPackets(request);
    for (const record of page.packets) {
      bytes += record.body.length;
      if (records.length === limit || (records.length > 0 && bytes > PAGE_BYTES_MAX)) return { records, hasMore: true };
      records.push(record);
    }
    if (page.nextPageToken === '') return { records, hasMore: false };
    if (records.length === limit) return { records, hasMore: true };
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
