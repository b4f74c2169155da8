import { z } from 'zod';

const ALERT_STATES = ['unknown', 'normal', 'pending', 'firing', 'recovering'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

const shape = z.object({
  state: z.enum(ALERT_STATES),
  consecutive: z.number().int(),
  sinceMs: z.number().int(),
  lastWindowMs: z.number().int(),
  lastSequence: z.number().int(),
  episodeId: z.string().nullable(),
  episodeTold: z.boolean(),
  lastToldMs: z.number().int().nullable(),
  transition: z.number().int(),
  stale: z.boolean(),
});

/**
 * Where a rule stands on one symbol: all that has to survive a restart, as JSON. Times are milliseconds since the epoch, 0 before the
 * first packet. `consecutive` counts packets in a row towards firing or recovery; `transition` is that of the last notice.
 */
export type Standing = z.output<typeof shape>;

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

/** A stored standing. @throws ZodError when it is none */
export function readStanding(stored: unknown): Standing {
  return shape.parse(stored);
}
