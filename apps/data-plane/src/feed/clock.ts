import { delay } from '@market-state/lifecycle';

interface ClockReadings {
  /** Since the epoch; can jump. */
  wallMs(): number;
  monotonicMs(): number;
}

/** 1 ms in 100 ms. */
const slewShare = 0.01;

/**
 * Starts at the wall clock, advances with the monotonic clock and is corrected by at most 1 ms in 100 ms, so it never
 * goes backwards.
 * @param leapMs jump to the wall clock if it is further ahead, as after a suspend; default: never
 */
export function createFeedClock({ wallMs, monotonicMs }: ClockReadings, leapMs = Infinity): () => number {
  let clockMs = wallMs();
  let readAtMs = monotonicMs();
  return () => {
    const nowMs = monotonicMs();
    const elapsedMs = nowMs - readAtMs;
    readAtMs = nowMs;
    const carriedMs = clockMs + elapsedMs;
    const aheadMs = wallMs() - carriedMs;
    const drawMs = elapsedMs * slewShare;
    clockMs = aheadMs > leapMs ? carriedMs + aheadMs : carriedMs + Math.max(-drawMs, Math.min(drawMs, aheadMs));
    return Math.floor(clockMs);
  };
}

export interface Clock {
  nowMs(): number;
  /** Rejects with the signal's reason on abort. */
  waitUntil(momentMs: number, signal: AbortSignal): Promise<void>;
}

/** Cap below the 32-bit limit of timers. */
const delayMsMax = 60_000;

/** Without the jump, a live feed would reject the venue's times as future. */
const liveLeapMs = 2_000;

export function createSystemClock(): Clock {
  return clockOf(createFeedClock(readings));
}

export function createLiveClock(): Clock {
  return clockOf(createFeedClock(readings, liveLeapMs));
}

const readings = { wallMs: () => Date.now(), monotonicMs: () => performance.now() };

function clockOf(nowMs: () => number): Clock {
  return {
    nowMs,
    async waitUntil(momentMs, signal) {
      for (let leftMs = momentMs - nowMs(); leftMs > 0; leftMs = momentMs - nowMs()) {
        await delay(Math.min(leftMs, delayMsMax), signal);
      }
    },
  };
}

/** Multiple of real time, or `max`: no pacing. */
export type Speed = number | 'max';

/** Reference point: at this wall time the feed clock had this value and runs at `speed`. */
export interface Anchor {
  readonly wallMs: number;
  readonly feedMs: number;
  readonly speed: number;
}

/** `wall`: the feed clock is the wall clock. */
export type Pace = { readonly kind: 'unpaced' } | { readonly kind: 'wall' } | ({ readonly kind: 'anchored' } & Anchor);

const aheadMsMax = 1_000;

/** Maximum feed time that an anchored feed catches up after a stop. */
const backlogMsMax = 3_600_000;

export function anchorOf(pace: Pace): Anchor | undefined {
  return pace.kind === 'anchored' ? { wallMs: pace.wallMs, feedMs: pace.feedMs, speed: pace.speed } : undefined;
}

export function dueWallMs(pace: Pace, feedMs: number): number {
  switch (pace.kind) {
    case 'unpaced':
      return -Infinity;
    case 'wall':
      return feedMs;
    case 'anchored':
      return pace.wallMs + (feedMs - pace.feedMs) / pace.speed;
  }
}

export interface PaceFacts {
  readonly speed: Speed;
  /** The first pass started at a requested time, so its pace is anchored from the start. */
  readonly startIsGiven: boolean;
  readonly nowMs: number;
  readonly feedMs: number;
  readonly stored?: Anchor;
}

/**
 * A stored anchor remains valid unless the speed changed or the backlog exceeds an hour. Without an anchor, the feed
 * clock follows the wall clock and past entries are due immediately.
 */
export function choosePace({ speed, startIsGiven, nowMs, feedMs, stored }: PaceFacts): Pace {
  if (speed === 'max') return { kind: 'unpaced' };
  const here = { kind: 'anchored', wallMs: nowMs, feedMs, speed } as const;
  if (stored === undefined) return startIsGiven || feedMs > nowMs + aheadMsMax ? here : { kind: 'wall' };
  const backlogMs = (nowMs - dueWallMs({ kind: 'anchored', ...stored }, feedMs)) * stored.speed;
  return stored.speed === speed && backlogMs <= backlogMsMax ? { kind: 'anchored', ...stored } : here;
}

/**
 * A feed at another speed than real time follows the wall clock during priming and is anchored at its first entry not
 * yet due.
 */
export function paceOnceCaughtUp(pace: Pace, speed: Speed, nowMs: number): Pace {
  if (pace.kind !== 'wall' || speed === 'max' || speed === 1) return pace;
  return { kind: 'anchored', wallMs: nowMs, feedMs: nowMs, speed };
}
