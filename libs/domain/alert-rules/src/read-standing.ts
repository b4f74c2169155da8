import { z } from 'zod';
import { ALERT_STATES, type Standing } from './standing';

const shape: z.ZodType<Standing> = z.object({
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

/** A stored standing. @throws ZodError when it is none */
export function readStanding(stored: unknown): Standing {
  return shape.parse(stored);
}
