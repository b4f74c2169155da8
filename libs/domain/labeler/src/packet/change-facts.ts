import { round6 } from '../numbers/round';
import type { Facts } from '../policy/fact';
import { sideWord } from './side-word';
import { COMPOSITES, type CompositeName, type MarketRead } from '../read';

/** The composite that moved furthest from its mean over the packets before that could read it; null where there is none. */
export interface Mover {
  readonly composite: CompositeName;
  readonly current: number;
  readonly trailing_mean: number;
  /** current − trailing_mean. */
  readonly change: number;
}

/** The earlier composite wins a tie. */
export function largestMover(read: MarketRead): Mover | null {
  const trailing = read.trail.trailingComposites;
  if (trailing === null) return null;
  let mover: Mover | null = null;
  for (const name of COMPOSITES) {
    const { available, score } = read.composites[name];
    const mean = trailing[name];
    if (!available || mean === null) continue;
    const change = round6(score - mean);
    if (mover === null || Math.abs(change) > Math.abs(mover.change))
      mover = { composite: name, current: score, trailing_mean: mean, change };
  }
  return mover;
}

/** Signed mid move since the packet before, basis points; null without both mids. */
export function midMoveBps(read: MarketRead): number | null {
  const previous = read.trail.previousMid;
  return read.mid === null || previous === null ? null : round6(10_000 * (read.mid / previous - 1));
}

/** This packet's severity score less that of the packet before; null in the first. */
export function severityChange(read: MarketRead): number | null {
  const previous = read.trail.previousSeverity;
  return previous === null ? null : round6(read.severity.score - previous);
}

/** What moved since the packet before, as facts. */
export function changeFacts(read: MarketRead): Facts {
  const { trail } = read;
  const mover = largestMover(read);
  const midMove = midMoveBps(read);
  return {
    has_previous: trail.previousState !== null,
    previous_state: trail.previousState,
    previous_event_class: trail.previousEventClass,
    state_moved: trail.previousState !== null && trail.previousState !== read.published.state,
    event_class_moved: trail.previousEventClass !== null && trail.previousEventClass !== read.eventClass,
    previous_book_side: sideWord(trail.previousPressure, 'bid', 'ask'),
    previous_flow_side: sideWord(trail.previousFlow, 'buy', 'sell'),
    previous_pressure_score: read.composites.pressure.available ? (trail.previousComposites?.pressure ?? null) : null,
    previous_flow_score: read.composites.flow.available ? (trail.previousComposites?.flow ?? null) : null,
    previous_severity_score: trail.previousSeverity,
    severity_change: severityChange(read),
    mid_move_bps: midMove,
    mid_move_bps_abs: midMove === null ? null : Math.abs(midMove),
    mover: mover?.composite ?? null,
    mover_value: mover?.current ?? null,
    mover_trailing_mean: mover?.trailing_mean ?? null,
    mover_change: mover?.change ?? null,
  };
}
