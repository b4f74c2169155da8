import { COMPOSITES, type CompositeName, type MarketRead } from '../read';
import { compositeLevel, type CompositeLevel } from './composite-facts';
import { termValues, withNotes, type TermNotes, type Terms } from './terms';

/** Where size rests, which way trades cross or whose positions were closed; `none` where a composite has no side. */
export type CompositeSide = 'bid' | 'ask' | 'buy' | 'sell' | 'shorts' | 'longs' | 'none';

/**
 * A composite score as the decision read it. Without a source, or with too few samples, score and norm are null and counted as 0.
 */
export interface CompositeTrace {
  /** 0..1. */
  readonly score: number | null;
  /** The score against its thresholds, 0..1. */
  readonly norm: number | null;
  readonly side: CompositeSide;
  readonly level: CompositeLevel;
  readonly watch: number;
  readonly elevated: number;
  /** Reached `enter_at`, or was held in the packet before on this side and is not under `leave_at`. */
  readonly held: boolean;
  readonly enter_at: number;
  readonly leave_at: number;
  /** Packets in a row in which it was held on this side, this one in; 0 while it is not. */
  readonly held_packets: number;
  readonly terms: Terms;
  /** Only where a term is null. */
  readonly term_notes?: TermNotes;
}
export type CompositeTraces = Readonly<Record<CompositeName, CompositeTrace>>;

/** Names of the positive and the negative side; the other composites have no side. */
const SIDES: Readonly<Partial<Record<CompositeName, readonly [CompositeSide, CompositeSide]>>> = {
  pressure: ['bid', 'ask'],
  flow: ['buy', 'sell'],
  forced_flow: ['shorts', 'longs'],
};

const NO_SIDE = ['none', 'none'] as const;

export function compositeTraces(read: MarketRead): CompositeTraces {
  return Object.fromEntries(COMPOSITES.map((name) => [name, compositeTrace(read, name)])) as Record<CompositeName, CompositeTrace>;
}

function compositeTrace(read: MarketRead, name: CompositeName): CompositeTrace {
  const { available, score, norm, side, watch, elevated, held, leaveAt, heldPackets, terms } = read.composites[name];
  const [positive, negative] = SIDES[name] ?? NO_SIDE;
  return {
    score: available ? score : null,
    norm: available ? norm : null,
    side: side > 0 ? positive : side < 0 ? negative : 'none',
    level: compositeLevel(read, name),
    watch,
    elevated,
    held,
    enter_at: watch,
    leave_at: leaveAt,
    held_packets: heldPackets,
    terms: termValues(terms),
    ...withNotes(terms),
  };
}
