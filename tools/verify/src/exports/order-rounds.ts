import type { ExportSystem } from './export-system';
import type { ExportMarket } from '@market-state/recorded-market';
import type { Tenant } from '@market-state/testing';
import { anySpec, orderOf, orderUntilTaken } from './orders';
import type { PolledJob } from './polls';

/** Orders at once: planning counts rows. */
const ORDERS_AT_ONCE = 4;

/** What is ordered, where, and by whom. */
export interface OrderScene {
  readonly market: ExportMarket;
  readonly system: ExportSystem;
  readonly customers: readonly Tenant[];
}

/** Orders in rounds of as many each. */
export interface Orders {
  /** Begins a round, once the one before is taken. */
  again(): Promise<void>;
  /** Resolves when all that was ordered is taken. */
  taken(): Promise<void>;
  /** Rounds that were begun. */
  rounds(): number;
}

/**
 * @param total of a round
 * @param jobs gets each job that is taken
 */
export function openOrders({ market, system, customers }: OrderScene, total: number, jobs: PolledJob[], random: () => number): Orders {
  const calls = system.openCalls();
  let [ordered, rounds] = [0, 0];
  const order = async (end: number): Promise<void> => {
    while (ordered < end) {
      const customer = customers[ordered % customers.length];
      ordered += 1;
      if (customer === undefined) throw new Error('Nobody orders.');
      const jobId = await orderUntilTaken(calls, orderOf(customer, `op_kills_${ordered}`, anySpec(market, random)));
      jobs.push({ customer, jobId });
    }
  };
  let ordering: Promise<unknown> = Promise.resolve();
  return {
    async again() {
      await ordering;
      rounds += 1;
      ordering = Promise.all(Array.from({ length: ORDERS_AT_ONCE }, () => order(rounds * total)));
      ordering.catch(() => undefined);
    },
    async taken() {
      await ordering;
    },
    rounds: () => rounds,
  };
}
