/** The source of receive times; a suite that plays hours in seconds passes its own. */
export interface VenueClock {
  /** Milliseconds since the epoch, whole. */
  nowMs(): number;
}

/** This machine's clock. */
export const systemClock: VenueClock = { nowMs: () => Date.now() };
