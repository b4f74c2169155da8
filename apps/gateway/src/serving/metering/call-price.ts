import { costOf, type CreditKind, findPlan, streamCost, weightOfCall, type WorkloadFamily } from '@market-state/pricing';
import type { Operation } from '../openapi/operations';
import { TIMEFRAMES, type Timeframe } from '../validation/timeframes';
import { parseInstant } from '../validation/instant';
import type { Input } from '../validation/request-validator';
import { type Counted, PRICE_MAP } from './price-map';

/** What a call costs: at most, and once its answer is known. */
export interface CallPrice {
  readonly family: WorkloadFamily;
  readonly credit: CreditKind;
  /** Upper bound in credits; of a stream, what its first hundred messages cost. */
  readonly estimated: number;
  /** How the upper bound comes about, in words. */
  readonly basis: string;
  /** Whether it is paid as messages go. */
  readonly byMessages: boolean;
  /** Credits for units that were observed, never above the upper bound; for undefined the upper bound. */
  observed(units: number | undefined): number;
}

/** What prices depend on beside the call. */
export interface PriceFacts {
  /** Symbols that `ALL` stands for now. */
  readonly symbolTotal: number;
  /** Of the tenant. */
  readonly planId: string;
}

interface Bound {
  readonly units: number;
  readonly basis: string;
}

function candleBound(input: Input, rowsMax: number): Bound {
  const fromMs = parseInstant(String(input.query['from'] ?? ''));
  const toMs = parseInstant(String(input.query['to'] ?? ''));
  const stepMs = TIMEFRAMES[String(input.query['tf']) as Timeframe];
  if (fromMs === null || toMs === null) return { units: rowsMax, basis: `${rowsMax} candles a page at most` };
  const units = Math.min(rowsMax, Math.ceil(Math.max(0, toMs - fromMs) / stepMs) + 1);
  return { units, basis: `${units} candles of the window at most` };
}

function boundOf(counted: Counted, input: Input, symbolTotal: number): Bound {
  switch (counted.by) {
    case 'call':
      return { units: 0, basis: 'one call' };
    case 'nothing':
      return { units: 0, basis: 'a receipt only' };
    case 'parameter': {
      const units = Number(input.query[counted.parameter]);
      return { units, basis: `${counted.parameter} ${units}` };
    }
    case 'page':
      return { units: counted.rowsMax, basis: `${counted.rowsMax} rows a page at most` };
    case 'candles':
      return candleBound(input, counted.rowsMax);
    case 'symbols': {
      const units = input.query['symbol'] === 'ALL' ? Math.max(1, symbolTotal) : 1;
      return { units, basis: units === 1 ? 'one symbol' : `${units} symbols served` };
    }
    case 'messages':
      return { units: 1, basis: 'each hundred messages that is begun; heartbeats are free' };
    case 'export_rows':
      throw new Error('the rows of an export are not known here');
  }
}

/** Whether the upper bound of an operation can be told from its parameters. */
export function isPricedByParameters(operation: Operation): boolean {
  return PRICE_MAP.get(operation.operationId)?.counted.by !== 'export_rows';
}

function flatPrice(family: WorkloadFamily, credits: number): CallPrice {
  return { family, credit: 'market_state', estimated: credits, basis: 'every call of this plan', byMessages: false, observed: () => credits };
}

/**
 * The price of a validated call. Plans with a flat cost pay that for each call.
 * @throws {Error} for an operation that is not metered, or whose units are not in its parameters
 */
export function priceCall(operation: Operation, input: Input, { symbolTotal, planId }: PriceFacts): CallPrice {
  const metering = PRICE_MAP.get(operation.operationId);
  if (metering === undefined) throw new Error(`${operation.operationId} has no price`);
  const { family, counted } = metering;
  const flatCost = findPlan(planId)?.flatCost ?? null;
  if (flatCost !== null) return flatPrice(family, flatCost);
  const { units, basis } = boundOf(counted, input, symbolTotal);
  const cost = (total: number): number => {
    if (counted.by === 'nothing') return 0;
    return counted.by === 'messages' ? streamCost(total) : costOf(family, total);
  };
  const estimated = cost(units);
  return {
    family,
    credit: family === 'export_job' ? 'export' : 'market_state',
    estimated,
    basis,
    byMessages: counted.by === 'messages',
    observed: (seen) => (seen === undefined ? estimated : Math.min(estimated, cost(seen))),
  };
}

/** Whether an operation is a stream, paid as its messages go. */
export function isPaidByMessages({ operationId }: Pick<Operation, 'operationId'>): boolean {
  return PRICE_MAP.get(operationId)?.counted.by === 'messages';
}

/** What a validated call weighs among those in flight, by the work that it may be: a plan with a flat cost changes nothing of it. */
export function weighCall({ operationId }: Pick<Operation, 'operationId'>, input: Input, symbolTotal: number): number {
  const metering = PRICE_MAP.get(operationId);
  if (metering === undefined || metering.counted.by === 'nothing' || metering.counted.by === 'export_rows') return weightOfCall(0);
  if (metering.counted.by === 'messages') return weightOfCall(streamCost(1));
  return weightOfCall(costOf(metering.family, boundOf(metering.counted, input, symbolTotal).units));
}
