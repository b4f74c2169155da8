import type { labeling } from '@market-state/contracts';
import { WINDOW_MS } from '@market-state/market-data';
import { fromProtoSourceKind } from '../../../clients/source-kind';
import { toUtc } from '../../../serving/meta/instant';
import { type Described, documentedWord } from '../../../serving/openapi/described';

const severityNamed = documentedWord('HistoryRow', 'severity_class');
const confidenceNamed = documentedWord('HistoryRow', 'confidence_label');

/** A packet in one line. */
export function historyRow(event: labeling.EventRecord): Described<'HistoryRow'> {
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

/** What spans and changes of state are made of. */
export type StateStep = Pick<labeling.EventRecord, 'windowEndMs' | 'eventId' | 'state' | 'eventClass'>;

type StateSpan = Described<'StateSpan'>;

/** The spans of one symbol's rows, oldest first. Nothing spans a window without a row. */
export function stateSpans(events: readonly StateStep[]): StateSpan[] {
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

/** Changes of state between rows whose windows touch, oldest first. */
export function stateTransitions(events: readonly StateStep[]): Described<'StateChange'>[] {
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
