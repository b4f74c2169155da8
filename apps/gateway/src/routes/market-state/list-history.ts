import type { labeling } from '@market-state/contracts';
import { WINDOW_MS } from '@market-state/market-data';
import { readToken, writeToken } from '@market-state/page-token';
import { z } from 'zod';
import { findEvents, readEvents } from '../../clients/packets/find-events';
import type { Handler } from '../../serving/answers/handler';
import { servedSymbols, fromProtoSourceKind } from '../../clients/market-data-client';
import { fromProtoPacket, type PacketClient, refusePacketsBeyondRetention } from '../../clients/packet-client';
import type { ReadDeps } from '../../clients/upstreams';
import { storedAnswer } from '../../clients/packets/stored-answer';
import { toCompactRow } from '../../serving/answers/packet-answer';
import { type Described, documentedWord } from '../../serving/openapi/document';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtc, parseInstant } from '../../serving/meta/meta';
import { InvalidRequest } from '../../serving/errors/problem';

const CURSOR = z.tuple([z.literal('h1'), z.int().min(0), z.string().min(1)]);

/** Position in a history; the start stays pinned to that of the first page. */
interface HistoryCursor {
  /** Milliseconds since the epoch. */
  readonly fromMs: number;
  /** Labeling's own token. */
  readonly pageToken: string;
}

function writeHistoryCursor({ fromMs, pageToken }: HistoryCursor): string {
  return writeToken(['h1', fromMs, pageToken]);
}

/** @throws InvalidRequest if the cursor is malformed */
function readHistoryCursor(cursor: string): HistoryCursor {
  const values = readToken(CURSOR, cursor);
  if (values === undefined)
    throw new InvalidRequest([{ loc: ['query', 'cursor'], msg: 'must be a next_cursor from an earlier response', type: 'malformed' }]);
  const [, fromMs, pageToken] = values;
  return { fromMs, pageToken };
}

const severityNamed = documentedWord('HistoryRow', 'severity_class');
const confidenceNamed = documentedWord('HistoryRow', 'confidence_label');

function historyRow(event: labeling.EventRecord): Described<'HistoryRow'> {
  return {
    symbol: event.symbol,
    event_id: event.eventId,
    sequence: event.sequence,
    window_end_utc: toUtc(event.windowEndMs),
    known_at_utc: toUtc(event.knownTsMs),
    mid_price: event.midPrice ?? null,
    state: event.state,
    state_label: event.stateLabel,
    winner_state: event.winnerState,
    runner_up_state: event.runnerUpState,
    state_margin: event.stateMargin,
    state_age_packets: event.stateAgePackets,
    transition_type: event.transitionType,
    event_class: event.eventClass,
    event_profile: event.eventProfile,
    severity_class: severityNamed(event.severityClass),
    severity_score: event.severityScore,
    diagnosis_class: event.diagnosisClass,
    confidence_score: event.confidenceScore,
    confidence_label: confidenceNamed(event.confidenceLabel),
    contradiction_score: event.contradictionScore,
    novelty_score: event.noveltyScore,
    quality_score: event.qualityScore,
    gap_flags: event.gapFlags,
    near_threshold: event.nearThreshold,
    tags: event.tags,
    source_kind: fromProtoSourceKind(event.sourceKind),
  };
}

/** Input of spans and state changes. */
type StateStep = Pick<labeling.EventRecord, 'windowEndMs' | 'eventId' | 'state' | 'eventClass'>;

type StateSpan = Described<'StateSpan'>;

/** Spans of one symbol's rows, oldest first. A span ends where a window has no row. */
function stateSpans(events: readonly StateStep[]): StateSpan[] {
  const spans: StateStep[][] = [];
  for (const event of events) {
    const open = spans.at(-1);
    const before = open?.at(-1);
    if (open !== undefined && before !== undefined && touches(before, event) && before.state === event.state) open.push(event);
    else spans.push([event]);
  }
  return spans.map((span, index) => {
    const first = span[0] as StateStep;
    const last = span.at(-1) as StateStep;
    return {
      state: first.state,
      from_utc: toUtc(first.windowEndMs - WINDOW_MS),
      to_utc: toUtc(last.windowEndMs),
      packet_total: span.length,
      dwell_seconds: (span.length * WINDOW_MS) / 1_000,
      begins_with: edgeBetween(spans[index - 1]?.at(-1), first),
      ends_with: edgeBetween(last, spans[index + 1]?.[0]),
    };
  });
}

/** State changes between rows with adjacent windows, oldest first. */
function stateTransitions(events: readonly StateStep[]): Described<'StateChange'>[] {
  return events.flatMap((event, index) => {
    const before = events[index - 1];
    if (before === undefined || !touches(before, event) || before.state === event.state) return [];
    return [
      {
        event_id: event.eventId,
        event_time_utc: toUtc(event.windowEndMs),
        from_state: before.state,
        to_state: event.state,
        from_event_class: before.eventClass,
        to_event_class: event.eventClass,
      },
    ];
  });
}

function touches(before: StateStep, after: StateStep): boolean {
  return after.windowEndMs - before.windowEndMs === WINDOW_MS;
}

function edgeBetween(before: StateStep | undefined, after: StateStep | undefined): StateSpan['begins_with'] {
  if (before === undefined || after === undefined) return 'answer_ends';
  return touches(before, after) ? 'state_changed' : 'no_row';
}

/** Default window length without `from`. */
const SPAN_MS = 86_400_000;

export function listHistory({ packets, marketData, now }: ReadDeps): Handler<'listHistory'> {
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
      detail: rows.length > 0 ? 'Rows match the packets as stored.' : 'No packet meets every condition.',
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

/** Rows, and the input of their spans. */
interface HistoryPage<Row> {
  readonly rows: readonly Row[];
  readonly steps: readonly StateStep[];
  readonly nextPageToken: string;
}

/** One row per event, read from the index only. */
async function rowPage({ call }: PacketClient, wanted: labeling.ListHistoryRequest): Promise<HistoryPage<Described<'HistoryRow'>>> {
  const { events, nextPageToken } = await call.listHistory(wanted);
  return { rows: events.map(historyRow), steps: events, nextPageToken };
}

/** A page ends early only after reading packets of more than 24 hours. */
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

export function searchEvents({ now, ...upstreams }: ReadDeps): Handler<'searchEvents'> {
  const find = findEvents(upstreams, now);
  return (call) => find(call, call.input.query);
}
