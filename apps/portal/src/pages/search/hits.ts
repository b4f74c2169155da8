import type { Schemas } from '@market-state/client';
import { type StateRun, stateRunsOf } from '@market-state/packet-figures';
import { PACKET_MS } from '../../packets/live-markets';

export type Hit = Schemas['FoundCompactPacket'];

/** Hits of one symbol, oldest first; consecutive windows with the same state are merged. */
interface HitLine {
  readonly symbol: string;
  readonly total: number;
  readonly stateRuns: readonly StateRun[];
}

export interface Timeline {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly HitLine[];
}

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
      return { symbol, total: own.length, stateRuns: stateRunsOf(own) };
    }),
  };
}

const FACETS = [
  ['symbol', 'Symbol', (hit: Hit) => hit.symbol],
  ['state', 'Published state', (hit: Hit) => hit.state],
  ['event_class', 'Event class', (hit: Hit) => hit.event_class],
  ['severity_class', 'Severity', (hit: Hit) => hit.severity.severity_class],
] as const;

export interface Facet {
  readonly name: (typeof FACETS)[number][0];
  readonly title: string;
  readonly values: readonly (readonly [value: string, total: number])[];
}

/** Leaves out a condition that all hits share. */
export function facetsOf(hits: readonly Hit[]): readonly Facet[] {
  return FACETS.map(([name, title, valueOf]) => {
    const totals = new Map<string, number>();
    for (const hit of hits) totals.set(valueOf(hit), (totals.get(valueOf(hit)) ?? 0) + 1);
    return { name, title, values: [...totals].sort(([a, one], [b, other]) => other - one || a.localeCompare(b)) };
  }).filter(({ values }) => values.length > 1);
}

export function foundIn({ match }: Hit): readonly string[] {
  return [...new Set([...match.words.flatMap(({ reasons }) => reasons), ...match.words.flatMap(({ tags }) => tags)])];
}
