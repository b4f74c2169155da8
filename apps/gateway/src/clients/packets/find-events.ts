import type { labeling } from '@market-state/contracts';
import { inSlices } from '@market-state/lifecycle';
import { storedRow } from '../../caches/latest/render-latest';
import type { CallContext, InputOf } from '../../serving/answers/handler';
import { toCompactRow } from '../../serving/answers/packet-answer';
import { jsonBytes, splicedRepresentation, withCommas } from '../../serving/http/representation';
import { parseInstant, toUtc } from '../../serving/meta/meta';
import { searchWords } from '../../serving/validation/validation-errors';
import { servedSymbols } from '../market-data-client';
import { fromProtoPacket, type PacketClient, refusePacketsBeyondRetention } from '../packet-client';
import type { Upstreams } from '../upstreams';
import { storedAnswer } from './stored-answer';

/** Every symbol served. */
export const ALL = 'ALL';
/** Query parameters that a match reports as conditions. */
const FILTERS = ['state', 'event_class', 'event_profile', 'severity_class', 'from', 'to'] as const;
/** Per page, as in labeling: each symbol-hour may be an archive file. */
const HOURS_MAX = 24;
const HOUR_MS = 3_600_000;

export type SearchedUpstreams = Pick<Upstreams, 'packets' | 'marketData'>;

export function findEvents({ packets, marketData }: SearchedUpstreams, now: () => number) {
  return async ({ operation, grant }: Pick<CallContext, 'operation' | 'grant'>, query: InputOf<'searchEvents'>['query']) => {
    const { symbol } = query;
    const asOfMs = parseInstant(query.as_of) ?? 0;
    const tags = query.tag ?? [];
    const words = searchWords(query.q);
    const toMs = parseInstant(query.to) ?? 0;
    const request: labeling.SearchEventsRequest = {
      symbol: symbol === ALL ? '' : symbol,
      words,
      state: query.state,
      eventClass: query.event_class,
      eventProfile: query.event_profile,
      severityClass: query.severity_class,
      tags: [...tags],
      fromWindowEndMs: parseInstant(query.from) ?? 0,
      toWindowEndMs: toMs,
      asOfMs,
      pageSize: query.limit,
      pageToken: query.cursor,
      ascending: false,
    };
    const filters = [...FILTERS.filter((name) => query[name] !== ''), ...(tags.length > 0 ? (['tag'] as const) : [])];
    const show = (packet: labeling.PacketRecord, inPacket: readonly labeling.FoundWord[]): Buffer => {
      const match = { filters, words: inPacket.map(publicWord) };
      return query.view === 'compact'
        ? jsonBytes({ ...toCompactRow(fromProtoPacket(packet), grant?.sandbox), match })
        : foundRow(packet, match);
    };
    const [served, { rows, nextPageToken }] = await Promise.all([servedSymbols(marketData), readEvents(packets, request, show)]);
    if (rows.length === 0 && symbol !== ALL) await refusePacketsBeyondRetention(packets, { symbol, asOfMs, toMs });
    const read = {
      symbol,
      served,
      asOfMs,
      nowMs: now(),
      found: rows.length > 0,
      detail: rows.length > 0 ? 'Rows match the packets as stored.' : 'No packet meets every condition.',
    };
    const fields = { row_total: rows.length, rows: [], next_cursor: nextPageToken === '' ? null : nextPageToken };
    const past = { symbols: symbol === ALL ? served.map((each) => each.symbol) : [symbol], throughMs: 0, upToNewest: true };
    const answer = await splicedRepresentation(storedAnswer({ operation, grant }, read, fields), { rows: withCommas(rows) });
    return { ...answer, observed: rows.length, past };
  };
}

/** Row of `latest` without its packet, with time, prices and diagnosis. */
function foundRow(record: labeling.PacketRecord, match: object): Buffer {
  const row = storedRow(record, ['state_diagnosis', 'reference_prices', 'state_label']);
  const { runner_up_state, state_margin } = row.member('state_diagnosis');
  return row.withFields({
    window_end_utc: toUtc(record.windowEndMs),
    mid_price: row.member('reference_prices').mid_price,
    state_label: row.member('state_label'),
    runner_up_state,
    state_margin,
    match,
  });
}

function publicWord({ word, inState, tags, reasons }: labeling.FoundWord) {
  return { word, in_state: inState, tags, reasons };
}

export interface EventRows<Row> {
  readonly rows: readonly Row[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** Fewer events than requested only beyond 24 symbol-hours. */
export async function readEvents<Row>(
  { call }: PacketClient,
  request: labeling.SearchEventsRequest,
  show: (packet: labeling.PacketRecord, words: readonly labeling.FoundWord[]) => Row,
): Promise<EventRows<Row>> {
  const rows: Row[] = [];
  const hours = new Set<string>();
  let { pageToken } = request;
  do {
    const page = await call.searchEvents({ ...request, pageSize: request.pageSize - rows.length, pageToken }, { deadlineMs: 6_000 });
    const found = page.events.flatMap(({ packet, words }) => (packet === undefined ? [] : [{ packet, words }]));
    for (const { packet } of found) hours.add(`${packet.symbol} ${Math.floor(packet.windowEndMs / HOUR_MS)}`);
    rows.push(...(await inSlices(found, ({ packet, words }) => show(packet, words))));
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && rows.length < request.pageSize && hours.size < HOURS_MAX);
  return { rows, nextPageToken: pageToken };
}
