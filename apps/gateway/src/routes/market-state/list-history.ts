import type { labeling } from '@market-state/contracts';
import { servedSymbols } from '../../clients/market-data-client';
import type { PacketClient } from '../../clients/packet-client';
import { readEvents } from '../../clients/packets/find-events';
import { fromProtoPacket } from '../../clients/served-packet';
import type { Upstreams } from '../../clients/upstreams';
import { readHistoryCursor, writeHistoryCursor } from './events/history-cursor';
import { historyRow, stateSpans, type StateStep, stateTransitions } from './events/history-rows';
import { refusePacketsBeyondRetention, storedAnswer } from '../../clients/packets/stored-answer';
import { toCompactRow } from '../../serving/answers/packet-answer';
import type { Described } from '../../serving/openapi/described';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/instant';
import type { Handler } from '../../serving/answers/handler';

/** Without `from` the window begins so long before its end, milliseconds. */
const SPAN_MS = 86_400_000;

export function listHistory({ packets, marketData }: Upstreams, now: () => number): Handler<'listHistory'> {
  return async ({ operation, grant, input }) => {
    const { symbol, from, to, state, event_class: eventClass, limit, cursor, as_of: asOf, view } = input.query;
    const asOfMs = parseInstant(asOf) ?? 0;
    const toMs = parseInstant(to) ?? 0;
    const start = parseInstant(from) ?? Math.max(1, (toMs || asOfMs || now()) - SPAN_MS);
    const { fromMs, pageToken } = cursor === '' ? { fromMs: start, pageToken: '' } : readHistoryCursor(cursor);
    const wanted = { symbol, fromWindowEndMs: fromMs, toWindowEndMs: toMs, state, eventClass, asOfMs, pageSize: limit, pageToken };
    const [served, { rows, steps, nextPageToken }] = await Promise.all([
      servedSymbols(marketData),
      view === 'compact' ? compactPage(packets, wanted, grant?.sandbox) : rowPage(packets, wanted),
    ]);
    if (rows.length === 0) await refusePacketsBeyondRetention(packets, { symbol, asOfMs, toMs });
    const read = {
      symbol,
      served,
      asOfMs,
      nowMs: now(),
      found: rows.length > 0,
      detail: rows.length > 0 ? 'Rows are as their packets were stored.' : 'No packet meets every condition.',
    };
    const fields = {
      from_utc: toUtc(fromMs),
      to_utc: toMs === 0 ? null : toUtc(toMs),
      row_total: rows.length,
      rows,
      state_spans: stateSpans(steps),
      transitions: stateTransitions(steps),
      next_cursor: nextPageToken === '' ? null : writeHistoryCursor({ fromMs, pageToken: nextPageToken }),
    };
    const past = { symbols: [symbol], throughMs: 0, upToNewest: true };
    return { ...jsonRepresentation(storedAnswer({ operation, grant }, read, fields)), observed: rows.length, past };
  };
}

/** A page of a history: its rows, and what their spans are made of. */
interface HistoryPage<Row> {
  readonly rows: readonly Row[];
  readonly steps: readonly StateStep[];
  readonly nextPageToken: string;
}

/** A row for each event, from the index alone. */
async function rowPage({ call }: PacketClient, wanted: labeling.ListHistoryRequest): Promise<HistoryPage<Described<'HistoryRow'>>> {
  const { events, nextPageToken } = await call.listHistory(wanted);
  return { rows: events.map(historyRow), steps: events, nextPageToken };
}

/** The same events in the compact view of their packets. A page ends early only where packets of more than 24 hours were read. */
async function compactPage(
  packets: PacketClient,
  wanted: labeling.ListHistoryRequest,
  delayed: boolean | undefined,
): Promise<HistoryPage<Described<'CompactPacket'>>> {
  const conditions = { eventProfile: '', severityClass: '', words: [], tags: [], ascending: true };
  const { rows, nextPageToken } = await readEvents(packets, { ...wanted, ...conditions }, (record) => {
    const served = fromProtoPacket(record);
    const { windowEndMs, eventId, packet } = served;
    return { row: toCompactRow(served, delayed), step: { windowEndMs, eventId, state: packet.state, eventClass: packet.event_class } };
  });
  return { rows: rows.map(({ row }) => row), steps: rows.map(({ step }) => step), nextPageToken };
}
