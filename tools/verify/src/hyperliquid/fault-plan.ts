import type { FaultCommand } from '@market-state/simulated-venue';
import { oneOf, wholeBetween } from '@market-state/testing';

/** A command, and how long after it the next may come. */
export interface PlannedFault {
  readonly command: FaultCommand;
  /** Milliseconds of the venue's clock. */
  readonly pauseMs: number;
}

/** What the venue has to do for its log to be whole again, at most: the longest delay of a reconnection, and a book. */
const RECOVERY_MS = 8_000;

type Make = (random: () => number) => FaultCommand;

const FAULTS: readonly [Make, ...Make[]] = [
  (random) => ({ fault: 'gap', channel: oneOf(['book', 'trade', 'all'], random), duration_ms: wholeBetween(500, 15_000, random) }),
  (random) => ({ fault: 'gap', channel: 'trade', duration_ms: wholeBetween(500, 20_000, random) }),
  (random) => ({ fault: 'reorder', span: wholeBetween(2, 30, random), duration_ms: wholeBetween(1_000, 10_000, random) }),
  (random) => ({ fault: 'duplicate', share: 0.1 + 0.9 * random(), duration_ms: wholeBetween(1_000, 20_000, random) }),
  (random) => ({ fault: 'crossed', duration_ms: wholeBetween(250, 5_000, random) }),
  (random) => ({ fault: 'stall', duration_ms: wholeBetween(1_000, 15_000, random) }),
  (random) => ({ fault: 'disconnect', duration_ms: wholeBetween(250, 20_000, random) }),
  (random) => ({ fault: 'garbage', count: wholeBetween(1, 30, random) }),
  (random) => ({
    fault: 'clock_skew',
    offset_ms: oneOf([-90_000_000, -3_000, 2_500, 4_500, 9_000], random),
    duration_ms: wholeBetween(1_000, 10_000, random),
  }),
];

/** The next fault: any kind, of any length within its bounds. */
export function nextFault(random: () => number): PlannedFault {
  const command = oneOf(FAULTS, random)(random);
  const lastsMs = 'duration_ms' in command ? command.duration_ms : 0;
  return { command, pauseMs: lastsMs + RECOVERY_MS + wholeBetween(0, 20_000, random) };
}
