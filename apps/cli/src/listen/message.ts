import { z } from 'zod';

/** Of a message, what the listener shows. */
export const messageShape = z.object({
  type: z.string(),
  timestamp: z.string(),
  id: z.string(),
  data: z.looseObject({
    symbol: z.string().optional(),
    phase: z.string().optional(),
    condition: z.record(z.string(), z.unknown()).optional(),
    event_id: z.string().nullish(),
    /** That of the packets up to its own, and that of the rows it was made from. */
    routes: z.looseObject({ replay: z.string(), replay_window: z.string() }).optional().catch(undefined),
    late: z.boolean().optional(),
    synthetic: z.boolean().optional(),
  }),
});

export type Message = z.infer<typeof messageShape>;

/** A line of words with two blanks between them; empty ones are left out. */
export function spaced(...words: readonly (string | undefined)[]): string {
  return words.filter((word) => word !== undefined && word !== '').join('  ');
}

/** The time of day of an instant, UTC. */
export function timeOfDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(11, 19);
}
