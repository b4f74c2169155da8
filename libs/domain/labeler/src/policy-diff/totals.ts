import type { Packet } from '../packet/packet';
import { packetChange, READ_FIELDS, type PacketChange, type ReadField } from './packet-change';
import type { PacketPair } from './relabel';
import type { Policy } from '../policy/policy';
import { jsonDifferences } from '../verify/compare-packet';

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
