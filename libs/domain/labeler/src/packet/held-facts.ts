import { absorptionBound } from '../classify/event-class';
import type { Facts } from '../policy/fact';
import type { PolicyNumbers } from '../policy/numbers';
import { SOURCE_STATES, type MarketRead } from '../read';
import { compositeLevel } from './composite-facts';
import { driverOf } from './driver';

/** What is held and open, and under what it ends, as facts. */
export function heldFacts(read: MarketRead, numbers: PolicyNumbers): Facts {
  const { pressure, flow } = read.composites;
  const current = !SOURCE_STATES.includes(read.decision.winner);
  const { spread_bps: spreadBps } = read.features;
  return {
    book_leans: current && pressure.held,
    trades_lean: current && flow.held,
    flow_10s_with_book: flowWithBook(read),
    absorption_next_bound_bps: spreadBps === null ? null : absorptionBound(spreadBps, read.eventClass, numbers),
    runner_up_open: read.decision.candidates.find(({ state }) => state === read.decision.runnerUp)?.open === true,
    book_silence: isBookSilence(read),
    ...driverFacts(read),
    ...underWatchFacts(read, numbers),
  };
}

/** Flow of the last ten seconds, positive where it goes to the side of the book. */
function flowWithBook({ composites: { pressure, flow } }: MarketRead): number | null {
  const flow10s = flow.terms.find(({ name }) => name === 'flow_10s')?.value ?? null;
  if (flow10s === null) return null;
  return pressure.side === 0 || flow10s === 0 ? 0 : pressure.side * flow10s;
}

/** The book was silent past its limit, and no gap that the log tells of is why. */
function isBookSilence({ gapFlags, gaps }: MarketRead): boolean {
  const gap = gaps.some(({ channel, reason }) => reason !== 'recording_seam' && (channel === 'book' || channel === 'all'));
  return gapFlags.includes('book_gap') && !gap;
}

function driverFacts(read: MarketRead): Facts {
  const { name } = driverOf(read);
  const none = {
    driver_score: null,
    driver_watch: null,
    driver_elevated: null,
    driver_leave_at: null,
    driver_held: null,
    driver_level: null,
  };
  if (name === 'none') return none;
  const { score, watch, elevated, leaveAt, held } = read.composites[name];
  return {
    driver_score: score,
    driver_watch: watch,
    driver_elevated: elevated,
    driver_leave_at: leaveAt,
    driver_held: held,
    driver_level: compositeLevel(read, name),
  };
}

/** The first composite of the published state that is held under its watch threshold. */
function underWatchFacts({ composites, published }: MarketRead, { state_composites: composedOf }: PolicyNumbers): Facts {
  const name = composedOf[published.state].find((other) => composites[other].held && composites[other].score < composites[other].watch);
  const driver = name === undefined ? undefined : composites[name];
  return {
    under_watch_driver: name ?? null,
    under_watch_score: driver?.score ?? null,
    under_watch_threshold: driver?.watch ?? null,
    under_watch_leave_at: driver?.leaveAt ?? null,
  };
}
