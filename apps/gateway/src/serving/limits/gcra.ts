/** How often something may be done: `perSecond` in the long run, `burst` at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** What a bucket answers. */
export interface Taken {
  /** Calls let in, 0 or more. */
  readonly taken: number;
  /** Calls that could be let in at once after these. */
  readonly free: number;
  /** Milliseconds until one more call could be let in; 0 when one could now. */
  readonly waitMs: number;
  /** Milliseconds until the first of the calls let in has grown back. */
  readonly firstSlotMs: number;
}

/** A bucket by the generic cell rate algorithm: its state is the instant at which it is full again, milliseconds. */
export interface Bucket {
  fullAtMs: number;
}

/** Lets in up to `wanted` calls. */
export function takeFrom(bucket: Bucket, { perSecond, burst }: Rate, nowMs: number, wanted: number): Taken {
  const intervalMs = 1_000 / perSecond;
  const fullAtMs = Math.min(Math.max(bucket.fullAtMs, nowMs), nowMs + burst * intervalMs);
  // Half a millionth of an interval, for what is lost in adding up intervals.
  const free = Math.floor((nowMs + burst * intervalMs - fullAtMs) / intervalMs + 1e-6);
  const taken = Math.min(wanted, free);
  bucket.fullAtMs = fullAtMs + taken * intervalMs;
  const waitMs = free - taken > 0 ? 0 : Math.max(0, bucket.fullAtMs + intervalMs - (nowMs + burst * intervalMs));
  return { taken, free: free - taken, waitMs, firstSlotMs: fullAtMs - nowMs + intervalMs };
}
