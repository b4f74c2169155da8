import { COMPOSITES, round6 } from '@market-state/labeler';
import type { Definitions } from '../definitions';
import { type Story, STAGE_PACKETS, type StageName } from './choose-stories';
import { storyStateOf, titleOf, type TapeEntry } from './tape-row';

interface Span {
  readonly value: string;
  readonly label: string;
  readonly start_utc: string;
  readonly end_utc: string;
  readonly packet_total: number;
}

/** Runs of packets with the same word, oldest first, from the end of the first window to the end of the last. */
function spansOf(entries: readonly TapeEntry[], wordOf: (entry: TapeEntry) => readonly [value: string, label: string]): Span[] {
  const spans: Span[] = [];
  for (const entry of entries) {
    const [value, label] = wordOf(entry);
    const last = spans.at(-1);
    if (last?.value === value) spans[spans.length - 1] = { ...last, end_utc: entry.packet.ts, packet_total: last.packet_total + 1 };
    else spans.push({ value, label, start_utc: entry.packet.ts, end_utc: entry.packet.ts, packet_total: 1 });
  }
  return spans;
}

type DensityState = 'source_window_sparse' | 'packet_generation_sparse' | 'packet_tape_sparse' | 'dense';

/**
 * A window counts as missing only if the log positions leave no packet for it; packets that are not shown or not on the
 * tape are omitted.
 */
function gapStats(chain: readonly TapeEntry[], shownTotal: number, { numbers }: Definitions) {
  const intervalMs = numbers.windows.packet_interval_ms;
  const [first] = chain;
  const last = chain.at(-1);
  const sequenceTotal = first === undefined || last === undefined ? 0 : last.sequence - first.sequence + 1;
  const expected = first === undefined || last === undefined ? 0 : (last.windowEndMs - first.windowEndMs) / intervalMs + 1;
  const intervals = chain.slice(1).map((later, index) => {
    const before = chain[index] ?? later;
    return later.windowEndMs - before.windowEndMs - (later.sequence - before.sequence - 1) * intervalMs;
  });
  return {
    expected_interval_seconds: intervalMs / 1_000,
    expected_packet_total: expected,
    packet_total: shownTotal,
    omitted_packet_total: sequenceTotal - shownTotal,
    missing_packet_total: expected - sequenceTotal,
    gap_total: intervals.filter((interval) => interval > intervalMs).length,
    longest_interval_seconds: intervals.length === 0 ? null : Math.max(...intervals) / 1_000,
  };
}

/** Density of a packet series and the rows behind it: the first state that applies. */
function densityOf(entries: readonly TapeEntry[], { numbers }: Definitions): DensityState {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return 'packet_tape_sparse';
  const intervalMs = numbers.windows.packet_interval_ms;
  const expected = (last.windowEndMs - first.windowEndMs) / intervalMs + 1;
  const sourceRows = entries.reduce((sum, { packet }) => sum + (packet.packet_lineage_summary.window_event_totals.book ?? 0), 0);
  if (sourceRows < (expected * intervalMs) / numbers.staleness.book_ms / 2) return 'source_window_sparse';
  if (last.sequence - first.sequence + 1 < expected / 2) return 'packet_generation_sparse';
  return entries.length < expected / 2 ? 'packet_tape_sparse' : 'dense';
}

const STAGE_NAMES: readonly StageName[] = ['before', 'during', 'after'];

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : round6(known.reduce((sum, value) => sum + value, 0) / known.length);
}

function counted(total: number, noun: string): string {
  return `${total} ${noun}${total === 1 ? '' : 's'}`;
}

function moveBps(entries: readonly TapeEntry[]): number | null {
  const mids = entries.map(({ packet }) => packet.reference_prices.mid_price).filter((mid) => mid !== null);
  const [first] = mids;
  const last = mids.at(-1);
  return first === undefined || last === undefined || mids.length < 2 ? null : round6(10_000 * (last / first - 1));
}

/** Most frequent published state; the later one on a tie. */
function usualState(entries: readonly TapeEntry[]): { readonly state: string; readonly label: string; readonly total: number } | null {
  const totals = new Map<string, { state: string; label: string; total: number }>();
  for (const { packet } of entries)
    totals.set(packet.state, { state: packet.state, label: packet.state_label, total: (totals.get(packet.state)?.total ?? 0) + 1 });
  return [...totals.values()].reduce<{ state: string; label: string; total: number } | null>(
    (best, entry) => (best === null || entry.total >= best.total ? entry : best),
    null,
  );
}

function stageSentence(usual: ReturnType<typeof usualState>, severities: readonly number[], mean: number | null): string {
  if (usual === null) return 'No packet on the tape.';
  const [first = 0, ...others] = severities;
  if (others.length === 0) return `1 packet: ${usual.label}, context severity ${first}.`;
  return (
    `${severities.length} packets, ${usual.total} of them ${usual.label}; context severity from ${Math.min(...severities)} to ` +
    `${Math.max(...severities)}, mean ${String(mean)}.`
  );
}

function stageView(entries: readonly TapeEntry[]) {
  const severities = entries.map(({ packet }) => packet.event_severity.score);
  const usual = usualState(entries);
  const mean = meanOf(severities);
  return {
    sentence: stageSentence(usual, severities, mean),
    packet_total: entries.length,
    start_utc: entries[0]?.packet.scope.window_start_utc ?? null,
    end_utc: entries.at(-1)?.packet.ts ?? null,
    usual_state: usual?.state ?? null,
    usual_state_label: usual?.label ?? null,
    severity_mean: mean,
    severity_max: severities.length === 0 ? null : Math.max(...severities),
    composite_means: Object.fromEntries(
      COMPOSITES.map((name) => [name, meanOf(entries.map(({ packet }) => packet.state_decision_trace.composites[name].score))]),
    ),
    mid_price_first: entries[0]?.packet.reference_prices.mid_price ?? null,
    mid_price_last: entries.at(-1)?.packet.reference_prices.mid_price ?? null,
    mid_move_bps: moveBps(entries),
    gap_flags: [...new Set(entries.flatMap(({ packet }) => packet.packet_quality.gap_flags))],
  };
}

function isTurn(a: TapeEntry, b: TapeEntry): boolean {
  return (
    a.packet.state !== b.packet.state || a.packet.event_class !== b.packet.event_class || a.packet.event_profile !== b.packet.event_profile
  );
}

function transitionRows(entries: readonly TapeEntry[]) {
  return entries.slice(1).flatMap((entry, index) => {
    const before = entries[index];
    if (before === undefined || !isTurn(before, entry)) return [];
    const { packet } = entry;
    return [
      {
        event_id: packet.event_id,
        event_time_utc: packet.ts,
        from_state: before.packet.state,
        to_state: packet.state,
        from_event_class: before.packet.event_class,
        to_event_class: packet.event_class,
        from_event_profile: before.packet.event_profile,
        to_event_profile: packet.event_profile,
        changed_tags: { added: packet.changed.tags_added, removed: packet.changed.tags_removed },
      },
    ];
  });
}

function timelineRow(stage: StageName, { packet, observationId }: TapeEntry) {
  const { book, trade, context, liquidation } = packet.packet_lineage_summary.window_event_totals;
  return {
    stage,
    event_id: packet.event_id,
    event_time_utc: packet.ts,
    packet_time_policy: packet.scope.packet_time_policy,
    source_observation_id: observationId,
    state: packet.state,
    state_label: packet.state_label,
    ...storyStateOf(packet),
    winner_state: packet.state_decision_trace.winner_state,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    transition_type: packet.transition_type,
    state_age_packets: packet.state_age_packets,
    severity_score: packet.event_severity.score,
    severity_class: packet.event_severity.severity_class,
    confidence_score: packet.confidence.score,
    confidence_label: packet.confidence.label,
    mid_price: packet.reference_prices.mid_price,
    source_row_counts: { book, trades: trade, context, liquidations: liquidation },
    gap_flags: packet.packet_quality.gap_flags,
  };
}

function storyTitle({ rule, event, stages }: Story): string {
  const before = stages.before.at(-1);
  return rule === 'newest_state_change' && before !== undefined
    ? `${before.packet.state_label} to ${event.packet.state_label}`
    : titleOf(event);
}

function storySummary({ event: { packet }, stages: { before, during, after } }: Story): string {
  const { score, severity_class } = packet.event_severity;
  const published =
    `At ${packet.ts} ${packet.symbol} was published as ${packet.state_label} with a context severity of ${score} ` +
    `(${severity_class.replaceAll('_', ' ')}).`;
  const run =
    during.length === 1
      ? 'Neither packet next to it has the same state and event class.'
      : `${during.length === STAGE_PACKETS ? 'At least ' : ''}${during.length} packets in a row have that state and event class.`;
  const sides = [
    ...(before.length > 0 ? [`the ${counted(before.length, 'packet')} before mostly ${usualState(before)?.label ?? ''}`] : []),
    ...(after.length > 0 ? [`the ${counted(after.length, 'packet')} after mostly ${usualState(after)?.label ?? ''}`] : []),
  ];
  return [published, run, ...(sides.length === 0 ? [] : [`Around it: ${sides.join(', ')}.`])].join(' ');
}

export function storyCard(story: Story) {
  const { packet } = story.event;
  return {
    story_rule: story.rule,
    event_id: packet.event_id,
    symbol: packet.symbol,
    title: storyTitle(story),
    summary: storySummary(story),
    event_time_utc: packet.ts,
    state: packet.state,
    state_label: packet.state_label,
    ...storyStateOf(packet),
    event_class: packet.event_class,
    severity_score: packet.event_severity.score,
    severity_class: packet.event_severity.severity_class,
    confidence_score: packet.confidence.score,
    confidence_label: packet.confidence.label,
  };
}

export function lineageStory(story: Story, definitions: Definitions) {
  const entries = STAGE_NAMES.flatMap((stage) => story.stages[stage]);
  const { event } = story;
  const { chain } = story.stages;
  const first = chain[0] ?? event;
  const last = chain.at(-1) ?? event;
  const turns = transitionRows(chain);
  const rowTotal = entries.reduce(
    (sum, { packet }) =>
      sum + Object.values(packet.packet_lineage_summary.window_event_totals).reduce<number>((inner, total) => inner + (total ?? 0), 0),
    0,
  );
  return {
    story_rule: story.rule,
    symbol: event.packet.symbol,
    event_id: event.packet.event_id,
    title: storyTitle(story),
    summary: storySummary(story),
    window: {
      start: first.packet.scope.window_start_utc,
      end: last.packet.ts,
      packet_sequence_total: last.sequence - first.sequence + 1,
      window_span_seconds: (Date.parse(last.packet.ts) - Date.parse(first.packet.scope.window_start_utc)) / 1_000,
    },
    lineage_metrics: {
      packet_total: entries.length,
      verified_packet_total: entries.filter(({ verified }) => verified).length,
      transition_total: turns.length,
      state_change_total: turns.filter(({ from_state, to_state }) => from_state !== to_state).length,
      severity_mean: meanOf(entries.map(({ packet }) => packet.event_severity.score)),
      severity_max: Math.max(...entries.map(({ packet }) => packet.event_severity.score)),
      source_row_total: rowTotal,
      mid_move_bps: moveBps(entries),
    },
    lineage_visualization: {
      ...gapStats(chain, entries.length, definitions),
      density_state: densityOf(chain, definitions),
      state_spans: spansOf(chain, ({ packet }) => [packet.state, packet.state_label]),
      event_class_spans: spansOf(chain, ({ packet }) => [packet.event_class, packet.taxonomy_bindings.event_class.label]),
    },
    transition_rows: turns,
    timeline_rows: STAGE_NAMES.flatMap((stage) => story.stages[stage].map((entry) => timelineRow(stage, entry))),
    stages: { before: stageView(story.stages.before), during: stageView(story.stages.during), after: stageView(story.stages.after) },
  };
}
