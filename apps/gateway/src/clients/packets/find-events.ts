import type { labeling } from '@market-state/contracts';
import { inTurns } from '@market-state/lifecycle';
import { storedRow } from '../../boards/stored-row';
import type { CallContext, InputOf } from '../../serving/handlers/handler';
import { jsonBytes, splicedRepresentation, withCommas } from '../../serving/http/spliced-representation';
import { parseInstant } from '../../serving/validation/instant';
import { servedSymbols } from '../market-data-client';
import type { PacketClient } from '../packet-client';
import { toCompactRow } from '../../serving/answers/compact-row';
import { toUtc } from '../../serving/meta/utc';
import { fromProtoPacket } from '../served-packet';
import type { Upstreams } from '../upstreams';
import { searchWords } from './search-words';
import { refusePacketsBeyondRetention, storedAnswer } from './stored-answer';

const ALL = 'ALL';
/** Conditions that a match names, by their query parameter. */
const FILTERS = ['state', 'event_class', 'event_profile', 'severity_class', 'from', 'to'] as const;
/** An answer ends with what was found in this time, milliseconds; the rest is a page of its own. */
const TIME_MS = 1_000;

/** The upstreams that a search reads. */
export type SearchedUpstreams = Pick<Upstreams, 'packets' | 'marketData'>;

/** Answers a call with the events that a search finds. */
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
    const [served, { events, nextPageToken }] = await Promise.all([servedSymbols(marketData), readEvents(packets, request)]);
    if (events.length === 0 && symbol !== ALL) await refusePacketsBeyondRetention(packets, { symbol, asOfMs, toMs });
    const filters = [...FILTERS.filter((name) => query[name] !== ''), ...(tags.length > 0 ? (['tag'] as const) : [])];
    const found = await inTurns(events, ({ packet, words: inPacket }) => {
      if (packet === undefined) return [];
      const match = { filters, words: inPacket.map(publicWord) };
      return query.view === 'compact'
        ? jsonBytes({ ...toCompactRow(fromProtoPacket(packet), grant?.sandbox), match })
        : foundRow(packet, match);
    });
    const rows = found.flat();
    const read = {
      symbol,
      served,
      asOfMs,
      nowMs: now(),
      found: rows.length > 0,
      detail: rows.length > 0 ? 'Rows are as their packets were stored.' : 'No packet meets every condition.',
    };
    const fields = { row_total: rows.length, rows: [], next_cursor: nextPageToken === '' ? null : nextPageToken };
    const past = { symbols: symbol === ALL ? served.map((each) => each.symbol) : [symbol], throughMs: 0, upToNewest: true };
    const answer = await splicedRepresentation(storedAnswer({ operation, grant }, read, fields), 'rows', withCommas(rows));
    return { ...answer, observed: rows.length, past };
  };
}

/** A row of `latest` without its packet, with when, at what price and how clearly, as JSON. */
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

/** Pages of labeling, which are bounded by their size, until there are as many events as were asked for or a second has passed. */
export async function readEvents({ call }: PacketClient, request: labeling.SearchEventsRequest): Promise<labeling.SearchEventsResponse> {
  const untilMs = performance.now() + TIME_MS;
  const events: labeling.FoundEvent[] = [];
  let { pageToken } = request;
  do {
    const page = await call.searchEvents({ ...request, pageSize: request.pageSize - events.length, pageToken }, { deadlineMs: 6_000 });
    events.push(...page.events);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && events.length < request.pageSize && performance.now() < untilMs);
  return { events, nextPageToken: pageToken };
}
