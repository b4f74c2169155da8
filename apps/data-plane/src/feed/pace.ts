/** Times real time, or `max`: no pacing. */
export type Speed = number | 'max';

/** A fixed point of pacing: at this wall time the feed clock stood there and has gone at `speed` times real time since. */
export interface Anchor {
  readonly wallMs: number;
  readonly feedMs: number;
  readonly speed: number;
}

/** How feed time follows wall time. `wall`: the feed clock is the wall clock. */
export type Pace = { readonly kind: 'unpaced' } | { readonly kind: 'wall' } | ({ readonly kind: 'anchored' } & Anchor);

/** A feed clock further ahead of the wall clock than this came from faster play, milliseconds. */
const aheadMsMax = 1_000;

/** More feed time than this is not caught up after a stop of an anchored feed, milliseconds. */
const backlogMsMax = 3_600_000;

/** The anchor of a pace that has one. */
export function anchorOf(pace: Pace): Anchor | undefined {
  return pace.kind === 'anchored' ? { wallMs: pace.wallMs, feedMs: pace.feedMs, speed: pace.speed } : undefined;
}

/** The wall time at which an entry with this feed time is due. */
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

/** What the pace of a feed that starts or goes on depends on. */
export interface PaceFacts {
  readonly speed: Speed;
  /** The first pass was put at a time asked for, not at the last full hour: its pace is anchored from its first start. */
  readonly startIsGiven: boolean;
  readonly nowMs: number;
  /** Where the feed clock stands or begins. */
  readonly feedMs: number;
  readonly stored?: Anchor;
}

/**
 * The pace to go on with. A stored anchor holds unless the speed was changed or more than an hour of feed time would have to
 * be caught up: then the feed goes on from where it stands. Without an anchor the feed clock follows the wall clock, and
 * whatever lies in the past is due at once.
 */
export function choosePace({ speed, startIsGiven, nowMs, feedMs, stored }: PaceFacts): Pace {
  if (speed === 'max') return { kind: 'unpaced' };
  const here = { kind: 'anchored', wallMs: nowMs, feedMs, speed } as const;
  if (stored === undefined) return startIsGiven || feedMs > nowMs + aheadMsMax ? here : { kind: 'wall' };
  const backlogMs = (nowMs - dueWallMs({ kind: 'anchored', ...stored }, feedMs)) * stored.speed;
  return stored.speed === speed && backlogMs <= backlogMsMax ? { kind: 'anchored', ...stored } : here;
}

/**
 * The pace once an entry that is not due yet comes up: a feed at another speed than real time, which followed the wall clock
 * while it primed, is anchored there.
 */
export function paceOnceCaughtUp(pace: Pace, speed: Speed, nowMs: number): Pace {
  if (pace.kind !== 'wall' || speed === 'max' || speed === 1) return pace;
  return { kind: 'anchored', wallMs: nowMs, feedMs: nowMs, speed };
}
