import { z } from 'zod';

const DURATION_MS_MAX = 600_000;
/** The price is about 15,000 ticks. */
const TICKS_MAX = 100;
const durationMs = z.int().min(250).max(DURATION_MS_MAX);

const command = z.discriminatedUnion('fault', [
  /** Drops frames. `book` excludes `bbo`, so that the outdated book is detectable; `all` is every stream. */
  z.strictObject({ fault: z.literal('gap'), channel: z.enum(['book', 'trade', 'all']), duration_ms: durationMs }),
  /** Shuffles frames within runs of `span`. */
  z.strictObject({ fault: z.literal('reorder'), span: z.int().min(2).max(50), duration_ms: durationMs }),
  /** Sends a share of the frames twice. */
  z.strictObject({ fault: z.literal('duplicate'), share: z.number().gt(0).max(1), duration_ms: durationMs }),
  /** Puts the best bid of every book above its best ask. */
  z.strictObject({ fault: z.literal('crossed'), duration_ms: durationMs }),
  /** Offsets prices of books or trades by ticks of 0.1. */
  z.strictObject({
    fault: z.literal('wrong_price'),
    channel: z.enum(['book', 'trade']),
    ticks: z
      .int()
      .min(-TICKS_MAX)
      .max(TICKS_MAX)
      .refine((ticks) => ticks !== 0, 'must not be 0'),
    duration_ms: durationMs,
  }),
  /** Freezes the funding rate in contexts. */
  z.strictObject({ fault: z.literal('late_funding'), duration_ms: durationMs }),
  /** Sends nothing, then everything at the end. */
  z.strictObject({ fault: z.literal('stall'), duration_ms: durationMs }),
  /** Pushes nothing on the channel, not even opening frames; still answers pings and requests. */
  z.strictObject({ fault: z.literal('silent'), channel: z.enum(['book', 'trade', 'context', 'all']), duration_ms: durationMs }),
  /** Removes the coin from the metadata: sends no frames and refuses subscriptions. */
  z.strictObject({ fault: z.literal('delisted'), duration_ms: durationMs }),
  /** Drops connections and refuses new ones. */
  z.strictObject({ fault: z.literal('disconnect'), duration_ms: durationMs }),
  /** Sends invalid frames. */
  z.strictObject({ fault: z.literal('garbage'), count: z.int().min(1).max(100) }),
  /** Offsets frame times; positive is ahead. */
  z.strictObject({ fault: z.literal('clock_skew'), offset_ms: z.int().min(-86_400_000).max(86_400_000), duration_ms: durationMs }),
]);

/** Fault to inject. Durations are milliseconds of the venue's clock, 250 to 600,000. */
export type FaultCommand = z.output<typeof command>;

export interface CommandFault {
  readonly field: string;
  readonly message: string;
}

/** Returns the command, or all of its faults. Never throws. */
export function readFaultCommand(body: unknown): { readonly command: FaultCommand } | { readonly faults: readonly CommandFault[] } {
  const parsed = command.safeParse(body);
  if (parsed.success) return { command: parsed.data };
  return { faults: parsed.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message })) };
}
