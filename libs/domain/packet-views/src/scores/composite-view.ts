import { type CompositeName, COMPOSITES, type Packet, round6 } from '@market-state/labeler';
import type { Definitions } from '../definitions';
import { featureView } from './feature-view';
import { thresholdsOf } from './threshold-views';

/** Side wording describes where size rests or which way trades cross, never an action. */
const SIDE_WORDS: Readonly<Record<string, string>> = {
  bid: ', to the bid side',
  ask: ', to the ask side',
  buy: ', to the buy side',
  sell: ', to the sell side',
  longs: ', mostly longs liquidated',
  shorts: ', mostly shorts liquidated',
  none: '',
};

const ABSENCE_WORDS: Readonly<Record<string, string>> = {
  not_reported_by_venue: 'this source does not report',
  never_seen: 'there is no data yet for',
};

type CompositeView = ReturnType<typeof compositeView>;

export function compositeViews(packet: Packet, definitions: Definitions): CompositeView[] {
  return COMPOSITES.map((name) => compositeView(packet, name, definitions));
}

function scoreOf(packet: Packet, name: CompositeName, definitions: Definitions) {
  const { score, norm, side, level } = packet.state_decision_trace.composites[name];
  const sentence = scoreSentence(packet, name, definitions);
  return { composite: name, label: definitions.label('drivers', name), sentence, score, norm, side, level };
}

export function compositeView(packet: Packet, name: CompositeName, definitions: Definitions) {
  const definition = definitions.composites[name];
  const score = scoreOf(packet, name, definitions);
  const { previous, trailing_mean } = packet.changed.composites[name];
  return {
    ...score,
    absence: absence(packet, name, definitions),
    previous_score: previous,
    trailing_mean,
    change_from_trailing_mean: score.score === null || trailing_mean === null ? null : round6(score.score - trailing_mean),
    formula: definition.formula,
    terms: termViews(packet, name, definitions),
    lane_numbers: laneNumbers(packet, name),
    inputs: definition.features.map((feature) => featureView(packet, feature, definitions)),
    thresholds: thresholdsOf(packet, name, definitions),
    tags: packet.tags.filter(isOfFamilies(definition.tagFamilies)),
    reasons: packet.reason_details.filter(({ reason_family }) => definition.reasonFamilies.includes(reason_family)),
  };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function unknown(packet: Packet, name: CompositeName, label: string, definitions: Definitions): string {
  const [family] = definitions.composites[name].families;
  const source = family === undefined ? undefined : packet.source_status[family];
  const absence = source?.status === 'missing' ? ABSENCE_WORDS[source.reason] : undefined;
  if (absence === undefined || family === undefined) return `${label} cannot be measured yet.`;
  return `${label} is unknown: ${absence} ${definitions.label('source_families', family)}.`;
}

/** One sentence on a composite, using the packet's own numbers. */
function scoreSentence(packet: Packet, name: CompositeName, definitions: Definitions): string {
  const label = capitalised(definitions.label('drivers', name));
  const { score, side, level, watch, elevated } = packet.state_decision_trace.composites[name];
  const reading = `${label} is ${score}${SIDE_WORDS[side] ?? ''}`;
  switch (level) {
    case 'no_source':
      return unknown(packet, name, label, definitions);
    case 'not_available':
      return `${label} cannot be measured yet: it needs ${definitions.numbers.minimums.returns} packet-to-packet changes of mid.`;
    case 'not_current':
      return `${label} was ${score} in the retained context; there is no current reading.`;
    case 'elevated':
      return `${reading}: elevated, at or above its threshold of ${elevated}.`;
    case 'watch':
      return `${reading}: on watch, at or above ${watch} and below its elevated threshold of ${elevated}.`;
    case 'near_watch':
      return `${reading}: just below its watch threshold of ${watch}.`;
    case 'below_watch':
      return `${reading}: quiet, below its watch threshold of ${watch}.`;
  }
}

function termViews(packet: Packet, name: CompositeName, definitions: Definitions) {
  const { terms, term_notes } = packet.state_decision_trace.composites[name];
  return Object.entries(definitions.composites[name].terms).map(([term, { unit, window, windowSeconds, meaning }]) => ({
    term,
    value: terms[term] ?? null,
    unit,
    window,
    window_seconds: windowSeconds,
    reason: term_notes?.[term] ?? null,
    meaning,
  }));
}

/** Reason for a null score and the missing source families; null if there is a score. */
function absence(packet: Packet, name: CompositeName, definitions: Definitions) {
  const { level } = packet.state_decision_trace.composites[name];
  if (level !== 'no_source' && level !== 'not_available') return null;
  const missing = definitions.composites[name].families.flatMap((family) => {
    const source = packet.source_status[family];
    return source.status === 'missing' ? [{ family, reason: source.reason }] : [];
  });
  return { reason: missing[0]?.reason ?? ('too_few_samples' as const), source_families: missing.map(({ family }) => family) };
}

function isOfFamilies(families: readonly string[]): (tag: string) => boolean {
  return (tag) => families.includes(tag.split(':', 1)[0] ?? '');
}

/** Numbers that accumulators over earlier packets report for a composite, each as of its own time. */
function laneNumbers(packet: Packet, name: CompositeName) {
  const isAboutIt = (number: string) => number.startsWith(`${name}_`) || (name === 'regime' && number.startsWith('realized_vol_'));
  return packet.compute_lanes
    .filter(({ lane_id }) => lane_id !== packet.packet_producer_lane)
    .flatMap(({ lane_id, horizon, as_of_utc, sample_total, numbers }) =>
      Object.entries(numbers)
        .filter(([number]) => isAboutIt(number))
        .map(([number, value]) => ({ lane_id, horizon, as_of_utc, sample_total, number, value })),
    );
}

type Level = Packet['state_decision_trace']['composites'][CompositeName]['level'];

const GROUPS: readonly { readonly words: string; readonly levels: readonly Level[] }[] = [
  { words: 'elevated', levels: ['elevated'] },
  { words: 'on watch', levels: ['watch'] },
  { words: 'just below watch', levels: ['near_watch'] },
  { words: 'quiet', levels: ['below_watch'] },
  { words: 'from retained context only', levels: ['not_current'] },
  { words: 'unknown', levels: ['no_source', 'not_available'] },
];

function overview(packet: Packet, { label }: Definitions): string {
  const { composites } = packet.state_decision_trace;
  const parts = GROUPS.flatMap(({ words, levels }) => {
    const names = COMPOSITES.filter((name) => levels.includes(composites[name].level));
    return names.length === 0 ? [] : [`${names.length} ${words} (${names.map((name) => label('drivers', name)).join(', ')})`];
  });
  return `Of the ${COMPOSITES.length} scores: ${parts.join('; ')}.`;
}

export function buyerSummary(packet: Packet, definitions: Definitions) {
  const { client_readout: readout, client_reason_summary: reasons } = packet;
  const { composites } = packet.state_decision_trace;
  return {
    headline: readout.headline,
    read: readout.read,
    overview: overview(packet, definitions),
    scores: COMPOSITES.map((name) => {
      const { watch, elevated } = composites[name];
      return { ...scoreOf(packet, name, definitions), watch, elevated };
    }),
    what_changed: reasons.what_changed,
    why_now: reasons.why_now,
    invalidation_conditions: reasons.invalidation_conditions,
    next_check: reasons.next_check,
    support: readout.support,
  };
}
