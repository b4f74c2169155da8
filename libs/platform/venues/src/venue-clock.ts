/** Where receive times come from; a proof that plays hours in seconds brings its own. */
export interface VenueClock {
  /** Milliseconds since the epoch, whole. */
  nowMs(): number;
}

/** This machine's clock. */
export const systemClock: VenueClock = { nowMs: () => Date.now() };
