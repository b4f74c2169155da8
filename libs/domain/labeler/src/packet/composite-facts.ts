import type { FactSet } from '../policy/fact';
import { COMPOSITES, SOURCE_STATES, type CompositeName, type MarketRead } from '../read';

export type CompositeLevel = 'elevated' | 'watch' | 'near_watch' | 'below_watch' | 'not_current' | 'not_available' | 'no_source';

/**
 * `near_watch`: within the near ratio below watch. `no_source`: every source is missing. `not_available`: too few
 * samples. `not_current`: the raw winner is a source state.
 */
export function compositeLevel(read: MarketRead, name: CompositeName): CompositeLevel {
  const absence = absenceOf(read, name);
  if (absence !== null) return absence === 'source_missing' ? 'no_source' : 'not_available';
  if (SOURCE_STATES.includes(read.decision.winner)) return 'not_current';
  const crossing = (level: 'watch' | 'elevated') =>
    read.thresholds.find((threshold) => threshold.composite === name && threshold.level === level)?.crossingClass;
  if (crossing('elevated') === 'crossed') return 'elevated';
  if (crossing('watch') === 'crossed') return 'watch';
  return crossing('watch') === 'near_threshold' ? 'near_watch' : 'below_watch';
}

export function absenceOf(read: MarketRead, name: CompositeName): 'source_missing' | 'not_available' | null {
  const { available, terms } = read.composites[name];
  if (available) return null;
  return terms.some((term) => term.note === 'source_missing') ? 'source_missing' : 'not_available';
}

/** Score and norm are null without a source: absent is not zero. */
export function addCompositeFacts(facts: FactSet, read: MarketRead, name: CompositeName): void {
  const composite = read.composites[name];
  const { score, norm, watch, elevated, level, held, leaveAt, heldPackets } = FACT_NAMES[name];
  facts[score] = composite.available ? composite.score : null;
  facts[norm] = composite.available ? composite.norm : null;
  facts[watch] = composite.watch;
  facts[elevated] = composite.elevated;
  facts[level] = compositeLevel(read, name);
  facts[held] = composite.held;
  facts[leaveAt] = composite.leaveAt;
  facts[heldPackets] = composite.heldPackets;
  for (const [term, fact] of TERM_FACTS[name] ?? []) facts[fact] = composite.terms.find((part) => part.name === term)?.value ?? null;
}

/** Built once, because building names per packet costs more than their values. */
const FACT_NAMES = Object.fromEntries(COMPOSITES.map((name) => [name, factNames(name)])) as Record<
  CompositeName,
  ReturnType<typeof factNames>
>;

function factNames(name: CompositeName) {
  return {
    score: `${name}_score`,
    norm: `${name}_norm`,
    watch: `${name}_watch`,
    elevated: `${name}_elevated`,
    level: `${name}_level`,
    held: `${name}_held`,
    leaveAt: `${name}_leave_at`,
    heldPackets: `${name}_held_packets`,
  };
}

const TERM_FACTS: Readonly<Partial<Record<CompositeName, readonly (readonly [term: string, fact: string])[]>>> = {
  pressure: [
    ['m180', 'pressure_mean_180s'],
    ['held_seconds', 'held_seconds'],
  ],
  flow: [
    ['trade_imbalance', 'trade_imbalance_180s'],
    ['depth_ratio', 'depth_ratio'],
    ['flow_10s', 'flow_10s'],
  ],
  fragility: [
    ['thin', 'fragility_thin'],
    ['churn', 'fragility_churn'],
    ['wide', 'fragility_wide'],
  ],
  regime: [['range_ratio', 'range_ratio']],
};
