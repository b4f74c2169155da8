import type { Queryable } from '@market-state/postgres';
import { forgetAttempts } from '../store/attempts';
import { forgetBodies, forgetMessages, forgetPayloads, forgetSecrets, forgetTasks, type MessagePlace } from '../store/upkeep';

const DAY_MS = 86_400_000;
const BODIES_KEPT_MS = 14 * DAY_MS;
/** Receipts, and what they refer to. */
const RECEIPTS_KEPT_MS = 30 * DAY_MS;
const AT_ONCE = 1_000;
/** Steps of a kind in one turn: other upkeep waits for no more than these. */
const STEPS_MAX = 50;

/** Forgets what is past its time, a bounded part of it at each turn. */
export function createForgetting(on: Queryable): (nowMs: number) => Promise<void> {
  let place: MessagePlace | undefined;

  /** Messages that receipts keep are passed by: the next turn goes on behind them, and begins anew at the end. */
  async function removeMessages(beforeMs: number): Promise<void> {
    for (let step = 0; step < STEPS_MAX; step += 1) {
      place = await forgetMessages(on, { beforeMs, after: place, limit: AT_ONCE });
      if (place === undefined) return;
    }
  }

  return async (nowMs) => {
    await inSteps((limit) => forgetBodies(on, nowMs - BODIES_KEPT_MS, limit));
    await inSteps((limit) => forgetPayloads(on, nowMs - BODIES_KEPT_MS, limit));
    await inSteps((limit) => forgetAttempts(on, nowMs - RECEIPTS_KEPT_MS, limit));
    await forgetTasks(on, nowMs - RECEIPTS_KEPT_MS);
    await removeMessages(nowMs - RECEIPTS_KEPT_MS);
    await forgetSecrets(on, nowMs);
  };
}

/** Takes step after step, each short enough to hold nobody up, until nothing is left or the turn is over. */
async function inSteps(step: (limit: number) => Promise<number>): Promise<void> {
  for (let taken = 0; taken < STEPS_MAX; taken += 1) if ((await step(AT_ONCE)) < AT_ONCE) return;
}
