import { servedSymbols } from '../../clients/market-data-client';
import type { Upstreams } from '../../clients/upstreams';
import { readHistoryCursor, writeHistoryCursor } from './events/history-cursor';
import { historyRow, stateSpans, stateTransitions } from './events/history-rows';
import { refusePacketsBeyondRetention, storedAnswer } from '../../clients/packets/stored-answer';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc } from '../../serving/meta/utc';
import { parseInstant } from '../../serving/validation/instant';
import type { Handler } from '../../serving/handlers/handler';

/** Without `from` the window begins so long before its end, milliseconds. */
const SPAN_MS = 86_400_000;

export function listHistory({ packets, marketData }: Upstreams, now: () => number): Handler<'listHistory'> {
  return async ({ operation, grant, input }) => {
    const { symbol, from, to, state, event_class: eventClass, limit, cursor, as_of: asOf } = input.query;
    const asOfMs = parseInstant(asOf) ?? 0;
    const toMs = parseInstant(to) ?? 0;
    const start = parseInstant(from) ?? Math.max(1, (toMs || asOfMs || now()) - SPAN_MS);
    const { fromMs, pageToken } = cursor === '' ? { fromMs: start, pageToken: '' } : readHistoryCursor(cursor);
    const wanted = { symbol, fromWindowEndMs: fromMs, toWindowEndMs: toMs, state, eventClass, asOfMs };
    const [served, { events, nextPageToken }] = await Promise.all([
      servedSymbols(marketData),
      packets.call.listHistory({ ...wanted, pageSize: limit, pageToken }),
    ]);
    if (events.length === 0) await refusePacketsBeyondRetention(packets, { symbol: wanted.symbol, asOfMs, toMs });
    const read = {
      symbol: wanted.symbol,
      served,
      asOfMs,
      nowMs: now(),
      found: events.length > 0,
      detail: events.length > 0 ? 'Rows are as their packets were stored.' : 'No packet meets every condition.',
    };
    const fields = {
      from_utc: toUtc(fromMs),
      to_utc: toMs === 0 ? null : toUtc(toMs),
      row_total: events.length,
      rows: events.map(historyRow),
      state_spans: stateSpans(events),
      transitions: stateTransitions(events),
      next_cursor: nextPageToken === '' ? null : writeHistoryCursor({ fromMs, pageToken: nextPageToken }),
    };
    return { ...jsonRepresentation(storedAnswer({ operation, grant }, read, fields)), observed: events.length };
  };
}
