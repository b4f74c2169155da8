export const ALERT_STATES = ['unknown', 'normal', 'pending', 'firing', 'recovering'] as const;

export type AlertState = (typeof ALERT_STATES)[number];

/**
 * Where a rule stands on one symbol: all that has to survive a restart, as JSON. Times are milliseconds since the epoch, 0 before the
 * first packet. `consecutive` counts packets in a row towards firing or recovery; `transition` is that of the last notice.
 */
export interface Standing {
  readonly state: AlertState;
  readonly consecutive: number;
  readonly sinceMs: number;
  readonly lastWindowMs: number;
  readonly lastSequence: number;
  readonly episodeId: string | null;
  readonly episodeTold: boolean;
  readonly lastToldMs: number | null;
  readonly transition: number;
  readonly stale: boolean;
}

/** Of a rule that was just made or changed. */
export const NEW_STANDING: Standing = {
  state: 'unknown',
  consecutive: 0,
  sinceMs: 0,
  lastWindowMs: 0,
  lastSequence: 0,
  episodeId: null,
  episodeTold: false,
  lastToldMs: null,
  transition: 0,
  stale: false,
};

/** A standing that is being made: nobody else holds it yet. */
export type StandingDraft = { -readonly [Name in keyof Standing]: Standing[Name] };

/**
 * A copy that may be changed. Each member is written out: V8 makes such a literal in a fraction of the time of a spread, whose members may
 * be small numbers in one standing and large ones in the next (`npm run bench -- alerts`, where no rule moves).
 */
export function draftOf(standing: Standing): StandingDraft {
  return {
    state: standing.state,
    consecutive: standing.consecutive,
    sinceMs: standing.sinceMs,
    lastWindowMs: standing.lastWindowMs,
    lastSequence: standing.lastSequence,
    episodeId: standing.episodeId,
    episodeTold: standing.episodeTold,
    lastToldMs: standing.lastToldMs,
    transition: standing.transition,
    stale: standing.stale,
  };
}
