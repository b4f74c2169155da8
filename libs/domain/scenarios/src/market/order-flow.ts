import type { Random } from '../random/random';
import type { MarketConditions } from './conditions';
import { STEP_MS, STEPS_PER_SECOND } from './step';

/** A step is cut into this many slots; each holds at most one market order and one forced close. */
const SLOTS = 16;
const SLOT_MS = STEP_MS / SLOTS;
/** The largest order, as a multiple of the mean. */
const ORDER_SIZE_MAX = 30;
const FORCED_SIZE_MAX = 8;

/** A market order on its way to the book. */
export interface MarketOrder {
  /** Milliseconds after the step's start, rising within a step, under 250. */
  readonly atMs: number;
  readonly side: 'buy' | 'sell';
  /** As a multiple of the mean order. */
  readonly size: number;
  /** It closes a position by force. */
  readonly forced: boolean;
}

/** The market orders of one step, oldest first: each slot draws whether one comes, from which side, and how large (heavy-tailed). */
export function ordersOfStep(random: Random, conditions: MarketConditions, activity: number): MarketOrder[] {
  const orders: MarketOrder[] = [];
  const chance = (conditions.ordersPerSecond * activity) / (STEPS_PER_SECOND * SLOTS);
  const forcedChance = conditions.liquidationsPerSecond / (STEPS_PER_SECOND * SLOTS);
  for (let slot = 0; slot < SLOTS; slot++) {
    const atMs = Math.floor(slot * SLOT_MS + random.uniform() * (SLOT_MS - 1));
    if (random.chance(chance)) {
      const side = random.chance((1 + conditions.flowSkew) / 2) ? 'buy' : 'sell';
      orders.push({ atMs, side, size: conditions.orderSize * random.heavyTailed(ORDER_SIZE_MAX), forced: false });
    }
    if (forcedChance > 0 && random.chance(forcedChance)) {
      const side = conditions.liquidated === 'long' ? 'sell' : 'buy';
      orders.push({ atMs, side, size: conditions.liquidationSize * random.heavyTailed(FORCED_SIZE_MAX), forced: true });
    }
  }
  return orders;
}
