import { BudgetError } from '../errors';
import type { Given, OperationFacts } from './request';

/** Every call with a sandbox key costs one credit. */
const SANDBOX_KEY = /^msk_test_/;

/**
 * Credits of its kind, by the price table of this SDK version: 0 if free or unmetered; null if only the service knows
 * (`symbol=ALL`, exports, streams).
 */
export function boundOf({ price }: OperationFacts, given: Given, apiKey: string | undefined): number | null {
  if (price === undefined) return 0;
  if (apiKey !== undefined && SANDBOX_KEY.test(apiKey)) return 1;
  if (typeof price === 'number') return price;
  if (price === 'symbols') return given['symbol'] === 'ALL' ? null : 1;
  if (typeof price === 'string') return null;
  const units = Number(given[price.of] ?? price.usual);
  if (!Number.isFinite(units)) return null;
  const steps = units / price.size;
  return price.base + (price.up ? Math.ceil(steps) : Math.floor(steps));
}

/** Credits reserved for one attempt. */
interface Hold {
  /** Null without a limit. */
  readonly maxCredits: number | null;
  /** Records the actual cost and releases the rest. */
  settle(credits: number): void;
}

/**
 * Shared by several calls. The maximum cost of running calls is reserved, so that concurrent calls cannot exceed it
 * either.
 */
export class Budget {
  private left: number;

  constructor(
    credits: number,
    private readonly outer: Budget | null,
  ) {
    if (!Number.isSafeInteger(credits) || credits < 0) throw new RangeError('a budget must be a whole number of credits, 0 or more');
    this.left = credits;
  }

  /** Credits neither spent nor reserved. */
  get remaining(): number {
    return this.outer === null ? this.left : Math.min(this.left, this.outer.remaining);
  }

  /** @throws BudgetError if fewer credits remain */
  take(credits: number): void {
    if (credits > this.remaining)
      throw new BudgetError(
        `The call could cost ${credits} credits, but only ${this.remaining} of the budget are left.`,
        credits,
        this.remaining,
      );
    this.change(-credits);
  }

  give(credits: number): void {
    this.change(credits);
  }

  private change(credits: number): void {
    this.left += credits;
    this.outer?.change(credits);
  }
}

/**
 * Reserves the most that an attempt could cost; if unknown, all that is left.
 * @param bound null if unknown
 * @param cap most that it may cost; null without a limit
 * @throws BudgetError if it could cost more than allowed
 */
export function holdFor(bound: number | null, cap: number | null, budget: Budget | null): Hold {
  if (bound === 0) return { maxCredits: cap, settle: () => undefined };
  if (bound !== null && cap !== null && bound > cap)
    throw new BudgetError(`The call could cost ${bound} credits, but its limit is ${cap}.`, bound, cap);
  if (budget === null) return { maxCredits: cap, settle: () => undefined };
  const held = bound ?? Math.min(cap ?? Number.POSITIVE_INFINITY, budget.remaining);
  if (held === 0) throw new BudgetError('The budget is used up.', bound, 0);
  budget.take(held);
  let isSettled = false;
  return {
    maxCredits: held,
    settle(credits) {
      if (isSettled) return;
      isSettled = true;
      budget.give(Math.max(0, held - credits));
    },
  };
}
