import type { Schemas } from '@market-state/client';
import { type Spell, spellsOf } from '@market-state/packet-figures';
import { PACKET_MS } from '../../packets/board';

export type Hit = Schemas['FoundCompactPacket'];

/** Hits of one symbol, those of windows in a row with one state together, oldest first. */
export interface HitLine {
  readonly symbol: string;
  readonly total: number;
  readonly spells: readonly Spell[];
}

/** Hits by symbol over the span that they lie in. */
export interface Timeline {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly HitLine[];
}

/** Hits over time, a line a symbol in the order of their names; null without hits. */
export function timelineOf(hits: readonly Hit[]): Timeline | null {
  if (hits.length === 0) return null;
  const ends = hits.map(({ window_end_utc: end }) => Date.parse(end));
  const symbols = [...new Set(hits.map(({ symbol }) => symbol))].sort();
  return {
    startMs: Math.min(...ends) - PACKET_MS,
    endMs: Math.max(...ends),
    lines: symbols.map((symbol) => {
      const own = hits
        .filter((hit) => hit.symbol === symbol)
        .map(({ window_end_utc: end, state, state_label: stateLabel }) => ({ windowEndMs: Date.parse(end), state, stateLabel }))
        .sort((a, b) => a.windowEndMs - b.windowEndMs);
      return { symbol, total: own.length, spells: spellsOf(own) };
    }),
  };
}

/** What hits can be divided by: condition, heading, value of a hit. */
const FACETS = [
  ['symbol', 'Symbol', (hit: Hit) => hit.symbol],
  ['state', 'Published state', (hit: Hit) => hit.state],
  ['event_class', 'Event class', (hit: Hit) => hit.event_class],
  ['severity_class', 'Severity', (hit: Hit) => hit.severity.severity_class],
] as const;

export interface Facet {
  readonly name: (typeof FACETS)[number][0];
  readonly title: string;
  /** The most frequent first. */
  readonly values: readonly (readonly [value: string, total: number])[];
}

/** How hits divide; a condition that all of them share divides nothing, and is left out. */
export function facetsOf(hits: readonly Hit[]): readonly Facet[] {
  return FACETS.map(([name, title, valueOf]) => {
    const totals = new Map<string, number>();
    for (const hit of hits) totals.set(valueOf(hit), (totals.get(valueOf(hit)) ?? 0) + 1);
    return { name, title, values: [...totals].sort(([a, one], [b, other]) => other - one || a.localeCompare(b)) };
  }).filter(({ values }) => values.length > 1);
}

/** Where the words of a search were found: reasons, then tags, each once. */
export function foundIn({ match }: Hit): readonly string[] {
  return [...new Set([...match.words.flatMap(({ reasons }) => reasons), ...match.words.flatMap(({ tags }) => tags)])];
}
