import { BudgetError } from '../errors';
import type { Given, OperationFacts } from './request';

/** Calls of a sandbox key cost one credit each, whatever they are. */
const SANDBOX_KEY = /^msk_test_/;

/**
 * The most that a call can cost, in credits of its kind, by the price table this version of the SDK was made with; null where that is
 * not known before it is asked (`symbol=ALL`, exports, streams). 0 for what is free or not metered.
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

/** Credits put aside for one attempt. */
interface Hold {
  /** Most that the attempt may cost; null without any bound. */
  readonly maxCredits: number | null;
  /** Says what the attempt has cost; what was put aside beyond it is free again. */
  settle(credits: number): void;
}

/** Credits that several calls share. What a call could cost is put aside while it runs, so that calls at once cannot pass it either. */
export class Budget {
  private left: number;

  constructor(
    credits: number,
    private readonly outer: Budget | null,
  ) {
    if (!Number.isSafeInteger(credits) || credits < 0) throw new RangeError('a budget is a whole number of credits, 0 or more');
    this.left = credits;
  }

  /** Credits neither spent nor put aside. */
  get remaining(): number {
    return this.outer === null ? this.left : Math.min(this.left, this.outer.remaining);
  }

  /** @throws BudgetError when so many are not left */
  take(credits: number): void {
    if (credits > this.remaining)
      throw new BudgetError(
        `The call could cost ${credits} credits, and ${this.remaining} of the budget are left.`,
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
 * Puts aside what an attempt could cost. Where that is not known beforehand it may cost all that is left.
 * @param bound most that it can cost; null where that is not known
 * @param cap most that it may cost; null without a bound of its own
 * @throws BudgetError when it could cost more than allowed
 */
export function holdFor(bound: number | null, cap: number | null, budget: Budget | null): Hold {
  if (bound === 0) return { maxCredits: cap, settle: () => undefined };
  if (bound !== null && cap !== null && bound > cap)
    throw new BudgetError(`The call could cost ${bound} credits, and may cost ${cap}.`, bound, cap);
  if (budget === null) return { maxCredits: cap, settle: () => undefined };
  const held = bound ?? Math.min(cap ?? Number.POSITIVE_INFINITY, budget.remaining);
  if (held === 0) throw new BudgetError('Nothing of the budget is left.', bound, 0);
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
