import type { MarketEvent } from '@market-state/market-data';
import type { Packet } from './packet/packet';
import type { Policy } from './policy/policy';
import { jsonDifferences } from './verify/compare-packets';
import type { PacketResult } from './label/label-packet';
import type { LabelerState } from './reducer/labeler-state';
import { reduce } from './reducer/reduce';

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

const READ_FIELDS = {
  state: (packet: Packet) => packet.state,
  winner_state: (packet: Packet) => packet.state_diagnosis.winner_state,
  event_class: (packet: Packet) => packet.event_class,
  diagnosis_class: (packet: Packet) => packet.state_diagnosis.diagnosis_class,
  severity_class: (packet: Packet) => packet.event_severity.severity_class,
} as const satisfies Readonly<Record<string, (packet: Packet) => string>>;
type ReadField = keyof typeof READ_FIELDS;

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

function packetChange(a: Packet, b: Packet): PacketChange | null {
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

export type Transitions = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface PolicyTotals {
  readonly compared: number;
  readonly changed: number;
  readonly changedByField: Readonly<Record<ReadField | 'tags', number>>;
  readonly onlyA: number;
  readonly onlyB: number;
  readonly statesA: Readonly<Record<string, number>>;
  readonly statesB: Readonly<Record<string, number>>;
  readonly transitionsA: Transitions;
  readonly transitionsB: Transitions;
}

export class TotalsTally {
  private compared = 0;
  private changed = 0;
  private readonly byField = Object.fromEntries([...Object.keys(READ_FIELDS), 'tags'].map((field) => [field, 0])) as Record<
    ReadField | 'tags',
    number
  >;
  private readonly runs = { a: new RunTally(), b: new RunTally() };
  private readonly alone = { a: 0, b: 0 };

  take({ a, b }: PacketPair<Packet>): PacketChange | null {
    if (a === null || b === null) {
      if (a !== null) this.one('a', a);
      if (b !== null) this.one('b', b);
      return null;
    }
    const change = packetChange(a, b);
    this.compared++;
    this.runs.a.take(a.state);
    this.runs.b.take(b.state);
    if (change === null) return null;
    this.changed++;
    for (const { field } of change.fields) this.byField[field]++;
    if (change.tagsAdded.length + change.tagsRemoved.length > 0) this.byField.tags++;
    return change;
  }

  totals(): PolicyTotals {
    const { a, b } = this.runs;
    return {
      compared: this.compared,
      changed: this.changed,
      changedByField: { ...this.byField },
      onlyA: this.alone.a,
      onlyB: this.alone.b,
      statesA: a.states,
      statesB: b.states,
      transitionsA: a.transitions,
      transitionsB: b.transitions,
    };
  }

  private one(run: 'a' | 'b', packet: Packet): void {
    this.alone[run]++;
    this.runs[run].take(packet.state);
  }
}

class RunTally {
  readonly states: Record<string, number> = {};
  readonly transitions: Record<string, Record<string, number>> = {};
  private previous: string | undefined;

  take(state: string): void {
    this.states[state] = (this.states[state] ?? 0) + 1;
    if (this.previous !== undefined) {
      const row = (this.transitions[this.previous] ??= {});
      row[state] = (row[state] ?? 0) + 1;
    }
    this.previous = state;
  }
}

/** A side that lacks the value is omitted. */
export interface PolicyChange {
  readonly file: string;
  /** JSON pointer. */
  readonly path: string;
  readonly a?: unknown;
  readonly b?: unknown;
}

export function policyChanges(a: Pick<Policy, 'files'>, b: Pick<Policy, 'files'>): readonly PolicyChange[] {
  return [...jsonDifferences(a.files, b.files)].map(({ path, left, right }) => {
    const [, file = '', ...inside] = path.split('/');
    return { file: `${file}.json`, path: inside.map((name) => `/${name}`).join(''), a: left, b: right };
  });
}

/** Null if a policy yields no packet. */
interface PacketPair<T> {
  readonly a: T | null;
  readonly b: T | null;
}

interface OfWindow {
  readonly windowEndMs: number;
}

/** Pairs packets by window, as they arrive. */
export class PairQueue<T extends OfWindow> {
  private readonly waiting: { a: T[]; b: T[] } = { a: [], b: [] };

  take(a: readonly T[], b: readonly T[]): void {
    this.waiting.a.push(...a);
    this.waiting.b.push(...b);
  }

  *ready(): Generator<PacketPair<T>> {
    const { a, b } = this.waiting;
    for (let [one, other] = [a[0], b[0]]; one !== undefined && other !== undefined; [one, other] = [a[0], b[0]]) {
      if (one.windowEndMs <= other.windowEndMs) a.shift();
      if (other.windowEndMs <= one.windowEndMs) b.shift();
      yield { a: one.windowEndMs <= other.windowEndMs ? one : null, b: other.windowEndMs <= one.windowEndMs ? other : null };
    }
  }

  *rest(): Generator<PacketPair<T>> {
    for (const a of this.waiting.a.splice(0)) yield { a, b: null };
    for (const b of this.waiting.b.splice(0)) yield { a: null, b };
  }
}

/** Each state under its own policy. Modifies the states. */
export async function* relabel(
  batches: AsyncIterable<readonly MarketEvent[]>,
  states: { readonly a: LabelerState; readonly b: LabelerState },
): AsyncGenerator<PacketPair<PacketResult>> {
  const pairs = new PairQueue<PacketResult>();
  for await (const events of batches) {
    for (const event of events) {
      pairs.take(reduce(states.a, event), reduce(states.b, event));
      yield* pairs.ready();
    }
  }
  yield* pairs.rest();
}
