import { WINDOW_MS } from '@market-state/market-data';
import { DEFAULT_SYMBOL } from '../market/instrument';

export interface LogOptions {
  /** Integer 0..4,294,967,295. */
  readonly seed: number;
  /** Default `SIMUSD-PERP`. */
  readonly symbol?: string;
  /** Epoch milliseconds, a multiple of `WINDOW_MS`; default 2026-01-05T00:00:00Z. */
  readonly startMs?: number;
}

export interface LogPosition {
  readonly seed: number;
  readonly symbol: string;
  readonly startMs: number;
}

const DEFAULT_START_MS = 1_767_571_200_000;
const SEED_MAX = 0xffff_ffff;

export function placeOf({ seed, symbol = DEFAULT_SYMBOL, startMs = DEFAULT_START_MS }: LogOptions): LogPosition {
  if (!Number.isInteger(seed) || seed < 0 || seed > SEED_MAX)
    throw new RangeError(`seed must be a whole number 0..${SEED_MAX}, not ${seed}`);
  if (!Number.isSafeInteger(startMs) || startMs <= 0 || startMs % WINDOW_MS !== 0) {
    throw new RangeError(`startMs must be a positive multiple of ${WINDOW_MS}, not ${startMs}`);
  }
  return { seed, symbol, startMs };
}
