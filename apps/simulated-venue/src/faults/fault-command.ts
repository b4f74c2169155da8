import { z } from 'zod';

const DURATION_MS_MAX = 600_000;
/** The price is about 15,000 ticks. */
const TICKS_MAX = 100;
const durationMs = z.int().min(250).max(DURATION_MS_MAX);

const command = z.discriminatedUnion('fault', [
  /** Frames are not sent. `book` leaves `bbo` out, so that the book is shown to be over; `all` is every stream. */
  z.strictObject({ fault: z.literal('gap'), channel: z.enum(['book', 'trade', 'all']), duration_ms: durationMs }),
  /** Frames change places within runs of `span`. */
  z.strictObject({ fault: z.literal('reorder'), span: z.int().min(2).max(50), duration_ms: durationMs }),
  /** A share of the frames is sent twice. */
  z.strictObject({ fault: z.literal('duplicate'), share: z.number().gt(0).max(1), duration_ms: durationMs }),
  /** The best bid of every book stands above its best ask. */
  z.strictObject({ fault: z.literal('crossed'), duration_ms: durationMs }),
  /** Prices of books, or of trades, are off by so many ticks of 0.1. */
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
  /** Contexts keep the funding rate that was sent when it began. */
  z.strictObject({ fault: z.literal('late_funding'), duration_ms: durationMs }),
  /** Nothing is sent; at the end, everything. */
  z.strictObject({ fault: z.literal('stall'), duration_ms: durationMs }),
  /** Nothing is pushed on the channel, not even the opening frames of a subscription; pings and requests are answered. */
  z.strictObject({ fault: z.literal('silent'), channel: z.enum(['book', 'trade', 'context', 'all']), duration_ms: durationMs }),
  /** The coin leaves the metadata: no frame of it is sent, and subscriptions are refused. */
  z.strictObject({ fault: z.literal('delisted'), duration_ms: durationMs }),
  /** Connections end, and none opens for so long. */
  z.strictObject({ fault: z.literal('disconnect'), duration_ms: durationMs }),
  /** So many frames that are none. */
  z.strictObject({ fault: z.literal('garbage'), count: z.int().min(1).max(100) }),
  /** Times of frames are off by `offset_ms`; ahead of the truth where it is positive. */
  z.strictObject({ fault: z.literal('clock_skew'), offset_ms: z.int().min(-86_400_000).max(86_400_000), duration_ms: durationMs }),
]);

/** How the venue is to misbehave. Durations are milliseconds of the venue's clock, 250 to 600,000. */
export type FaultCommand = z.output<typeof command>;

/** What is wrong with a command, field by field. */
export interface CommandFault {
  readonly field: string;
  readonly message: string;
}

/** The command, or every fault of it. Never throws. */
export function readFaultCommand(body: unknown): { readonly command: FaultCommand } | { readonly faults: readonly CommandFault[] } {
  const parsed = command.safeParse(body);
  if (parsed.success) return { command: parsed.data };
  return { faults: parsed.error.issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message })) };
}
