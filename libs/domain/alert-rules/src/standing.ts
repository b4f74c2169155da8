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
