import type { Packet } from '../packet/packet';

/** Null: no source. */
export interface Move {
  readonly kind: 'score' | 'threshold' | 'term' | 'norm' | 'publication' | 'packet';
  readonly name: string;
  readonly a: Value;
  readonly b: Value;
}

type Value = number | string | boolean | null;

/** Thresholds come first, because most policy changes originate there. */
function moves(a: Packet, b: Packet): readonly Move[] {
  return [...thresholdMoves(a, b), ...compositeMoves(a, b), ...candidateMoves(a, b), ...publicationMoves(a, b), ...packetMoves(a, b)];
}

function* thresholdMoves(a: Packet, b: Packet): Generator<Move> {
  for (const [name, composite] of Object.entries(a.state_decision_trace.composites)) {
    const other = compositesOf(b)[name];
    yield* moved('threshold', `${name}_watch`, composite.watch, other?.watch ?? null);
    yield* moved('threshold', `${name}_elevated`, composite.elevated, other?.elevated ?? null);
  }
}

function* compositeMoves(a: Packet, b: Packet): Generator<Move> {
  for (const [name, composite] of Object.entries(a.state_decision_trace.composites)) {
    const other = compositesOf(b)[name];
    yield* moved('score', name, composite.score, other?.score ?? null);
    yield* moved('norm', name, composite.norm, other?.norm ?? null);
    yield* termMoves(name, composite.terms, other?.terms ?? {});
  }
}

function* candidateMoves(a: Packet, b: Packet): Generator<Move> {
  const [traceA, traceB] = [a.state_decision_trace, b.state_decision_trace];
  const deciding = new Set<string>([traceA.winner_state, traceA.runner_up_state, traceB.winner_state, traceB.runner_up_state]);
  for (const { state, score, terms } of traceA.candidate_states) {
    const other = traceB.candidate_states.find((candidate) => candidate.state === state);
    if (!deciding.has(state)) continue;
    yield* moved('score', state, score, other?.score ?? null);
    yield* termMoves(state, terms, other?.terms ?? {});
  }
}

function* termMoves(owner: string, a: Terms, b: Terms): Generator<Move> {
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)]))
    yield* moved('term', `${owner}.${name}`, a[name] ?? null, b[name] ?? null);
}

function* publicationMoves(a: Packet, b: Packet): Generator<Move> {
  const [one, other] = [a.state_decision_trace.publication, b.state_decision_trace.publication];
  yield* moved('publication', 'rule', one.rule, other.rule);
  yield* moved('publication', 'streak_required', one.streak_required, other.streak_required);
  yield* moved('publication', 'lost_streak', one.lost_streak, other.lost_streak);
  yield* moved('publication', 'winner_streak', one.winner_streak, other.winner_streak);
}

function* packetMoves(a: Packet, b: Packet): Generator<Move> {
  yield* moved('packet', 'margin', a.state_diagnosis.state_margin, b.state_diagnosis.state_margin);
  yield* moved('packet', 'severity', a.event_severity.score, b.event_severity.score);
  yield* moved('packet', 'contradiction', a.contradiction_score, b.contradiction_score);
  yield* moved('packet', 'confidence', a.confidence.score, b.confidence.score);
  yield* moved('packet', 'threshold_source', a.calibration_context.threshold_source, b.calibration_context.threshold_source);
}

type Terms = Readonly<Record<string, Value>>;
type Composites = Packet['state_decision_trace']['composites'];

function compositesOf({
  state_decision_trace: { composites },
}: Packet): Readonly<Record<string, Composites[keyof Composites] | undefined>> {
  return composites;
}

function* moved(kind: Move['kind'], name: string, a: Value, b: Value): Generator<Move> {
  if (a !== b) yield { kind, name, a, b };
}

export const READ_FIELDS = {
  state: (packet: Packet) => packet.state,
  winner_state: (packet: Packet) => packet.state_diagnosis.winner_state,
  event_class: (packet: Packet) => packet.event_class,
  diagnosis_class: (packet: Packet) => packet.state_diagnosis.diagnosis_class,
  severity_class: (packet: Packet) => packet.event_severity.severity_class,
} as const satisfies Readonly<Record<string, (packet: Packet) => string>>;
export type ReadField = keyof typeof READ_FIELDS;

interface FieldChange {
  readonly field: ReadField;
  readonly a: string;
  readonly b: string;
}

export interface PacketChange {
  readonly windowEndMs: number;
  readonly fields: readonly FieldChange[];
  readonly tagsAdded: readonly string[];
  readonly tagsRemoved: readonly string[];
  readonly because: readonly Move[];
}

export function packetChange(a: Packet, b: Packet): PacketChange | null {
  const fields: FieldChange[] = [];
  for (const field of Object.keys(READ_FIELDS) as ReadField[]) {
    const [was, is] = [READ_FIELDS[field](a), READ_FIELDS[field](b)];
    if (was !== is) fields.push({ field, a: was, b: is });
  }
  const tagsAdded = b.tags.filter((tag) => !a.tags.includes(tag));
  const tagsRemoved = a.tags.filter((tag) => !b.tags.includes(tag));
  if (fields.length + tagsAdded.length + tagsRemoved.length === 0) return null;
  return { windowEndMs: Date.parse(a.ts), fields, tagsAdded, tagsRemoved, because: moves(a, b) };
}
