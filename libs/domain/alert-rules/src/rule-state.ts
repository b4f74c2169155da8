export const ALERT_STATES = ['unknown', 'normal', 'pending', 'firing', 'recovering'] as const;

export type AlertState = (typeof ALERT_STATES)[number];

/**
 * State of a rule on one symbol, stored as JSON. Times are milliseconds since the epoch, 0 before the first packet.
 * `consecutive` counts packets towards firing or recovery; `transition` is that of the last notice.
 */
export interface RuleState {
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

export const NEW_RULE_STATE: RuleState = {
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

export type RuleStateDraft = { -readonly [Name in keyof RuleState]: RuleState[Name] };

/** Written out: V8 builds such a literal much faster than a spread (`npm run bench -- alerts`). */
export function draftOf(standing: RuleState): RuleStateDraft {
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
