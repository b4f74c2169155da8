import type { Facts } from '../policy/fact';
import type { CompositeName, CompositeRead, MarketRead } from '../read';
import { SOURCE_STATES } from './decision-reads';

/** Where a composite stands against its thresholds. */
export type CompositeLevel = 'elevated' | 'watch' | 'near_watch' | 'below_watch' | 'not_current' | 'not_available' | 'no_source';

/**
 * `near_watch` is within the policy's near ratio below watch; `no_source` when every source it reads is missing; `not_available` when the
 * source is there and the samples are too few; `not_current` when the raw winner is a source state, so that nothing is read of the current
 * market.
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

/** Why a composite has nothing to read: its source is missing, or too few samples are there. Null when it can be read. */
export function absenceOf(read: MarketRead, name: CompositeName): 'source_missing' | 'not_available' | null {
  const { available, terms } = read.composites[name];
  if (available) return null;
  return terms.some((term) => term.note === 'source_missing') ? 'source_missing' : 'not_available';
}

/** Value less threshold, from the thresholds as they were read. */
export function distanceTo(read: MarketRead, name: CompositeName, level: 'watch' | 'elevated'): number | null {
  if (!read.composites[name].available) return null;
  return read.thresholds.find((threshold) => threshold.composite === name && threshold.level === level)?.distance ?? null;
}

/** The facts of one composite. Score, norm and distances are null without a source: absent is not zero. */
export function compositeFacts(read: MarketRead, name: CompositeName): Facts {
  const composite = read.composites[name];
  return {
    [`${name}_score`]: composite.available ? composite.score : null,
    [`${name}_norm`]: composite.available ? composite.norm : null,
    [`${name}_watch`]: composite.watch,
    [`${name}_elevated`]: composite.elevated,
    [`${name}_distance_to_watch`]: distanceTo(read, name, 'watch'),
    [`${name}_distance_to_elevated`]: distanceTo(read, name, 'elevated'),
    [`${name}_level`]: compositeLevel(read, name),
    ...termFacts(name, composite),
  };
}

const TERM_FACTS: Readonly<Partial<Record<CompositeName, Readonly<Record<string, string>>>>> = {
  pressure: { m60: 'pressure_minute_mean' },
  fragility: { thin: 'fragility_thin', churn: 'fragility_churn', wide: 'fragility_wide' },
};

function termFacts(name: CompositeName, composite: CompositeRead): Facts {
  const facts = Object.entries(TERM_FACTS[name] ?? {});
  return Object.fromEntries(facts.map(([term, fact]) => [fact, composite.terms.find((part) => part.name === term)?.value ?? null]));
}
