import { type CreditKind, findPlan, weightOfCall } from './plans';
import { priceOf, STREAM_MESSAGES_A_CREDIT, costOf, streamCost, type WorkloadFamily } from './prices';

/** The units of a call, by which its upper bound and its observed cost are counted. */
type Counted =
  /** Nothing: the family's base is the price. */
  | { readonly by: 'call' }
  /** Nothing, and it costs nothing: the call has a receipt only. */
  | { readonly by: 'nothing' }
  /** Rows, at most the value of this query parameter. */
  | { readonly by: 'parameter'; readonly parameter: 'limit' | 'depth' }
  /** Rows, at most those of a page. */
  | { readonly by: 'page'; readonly rows_max: number }
  /** Rows of the one answer that there is, at most so many. */
  | { readonly by: 'rows'; readonly rows_max: number }
  /** Candles, at most those between `from` and `to`, and those of a page. */
  | { readonly by: 'candles'; readonly rows_max: number }
  /** Symbols returned. */
  | { readonly by: 'symbols' }
  /** Messages sent: one credit for every hundred begun. */
  | { readonly by: 'messages' }
  /** Rows of an export, by the manifest of what is stored. */
  | { readonly by: 'export_rows' };

/** How an operation is priced: `x-price` of the OpenAPI document. */
export interface OperationPrice {
  readonly family: WorkloadFamily;
  readonly counted: Counted;
}

/** The parameters of a call that its price depends on, as the document types them. */
export interface PricedParameters {
  readonly limit?: number;
  readonly depth?: number;
  readonly symbol?: string;
  /** Candles in the window that is asked for; absent or null where the window is open. */
  readonly windowCandles?: number | null;
}

/** What prices depend on besides the call. */
export interface PriceFacts {
  /** Symbols that `ALL` stands for now. */
  readonly symbolTotal: number;
  /** Of the tenant. */
  readonly planId: string;
  /** Messages of a stream at most, where they are known beforehand: of a replay. */
  readonly messages?: number;
}

/** What a call costs: at most, and once its answer is known. */
export interface CallPrice {
  readonly family: WorkloadFamily;
  readonly credit: CreditKind;
  /** Upper bound in credits; of a stream whose messages are not known, what the first hundred cost. */
  readonly estimated: number;
  /** How the upper bound is computed, in words. */
  readonly basis: string;
  /** Units of the upper bound, as its operation counts them: rows or symbols; 0 where none are counted. */
  readonly units: number;
  /** Whether it is paid as messages go. */
  readonly byMessages: boolean;
  /** Credits for the units observed, never above the upper bound; without units, the upper bound. */
  observed(units: number | undefined): number;
}

interface Bound {
  readonly units: number;
  readonly basis: string;
}

function candleBound(windowCandles: number | null, rowsMax: number): Bound {
  if (windowCandles === null) return { units: rowsMax, basis: `${rowsMax} candles a page at most` };
  const units = Math.min(rowsMax, windowCandles);
  return { units, basis: `${units} candles of the window at most` };
}

function boundOf(counted: Counted, parameters: PricedParameters, { symbolTotal, messages }: Omit<PriceFacts, 'planId'>): Bound {
  switch (counted.by) {
    case 'call':
      return { units: 0, basis: 'one call' };
    case 'nothing':
      return { units: 0, basis: 'a receipt only' };
    case 'parameter': {
      const units = parameters[counted.parameter] ?? 0;
      return { units, basis: `${counted.parameter} ${units}` };
    }
    case 'page':
      return { units: counted.rows_max, basis: `${counted.rows_max} rows a page at most` };
    case 'rows':
      return { units: counted.rows_max, basis: `${counted.rows_max} rows at most` };
    case 'candles':
      return candleBound(parameters.windowCandles ?? null, counted.rows_max);
    case 'symbols': {
      const units = parameters.symbol === 'ALL' ? Math.max(1, symbolTotal) : 1;
      return { units, basis: units === 1 ? 'one symbol' : `${units} symbols served` };
    }
    case 'messages':
      return messages === undefined
        ? { units: 1, basis: 'each hundred messages that is begun; heartbeats are free' }
        : { units: messages, basis: `each hundred begun of ${messages} messages at most; heartbeats are free` };
    case 'export_rows':
      throw new Error('the rows of an export are not known here');
  }
}

/** Whether the upper bound follows from the parameters of a call. */
export function isPricedByParameters({ counted }: OperationPrice): boolean {
  return counted.by !== 'export_rows';
}

/** Whether a call is a stream, paid as its messages go. */
export function isPaidByMessages({ counted }: OperationPrice): boolean {
  return counted.by === 'messages';
}

function flatPrice(family: WorkloadFamily, credits: number, units: number): CallPrice {
  return {
    family,
    credit: 'market_state',
    estimated: credits,
    basis: 'every call of this plan',
    units,
    byMessages: false,
    observed: () => credits,
  };
}

/**
 * The price of a call. Plans with a flat cost pay that for each call.
 * @throws {Error} for an operation whose units are not in its parameters
 */
export function priceCall({ family, counted }: OperationPrice, parameters: PricedParameters, facts: PriceFacts): CallPrice {
  const flatCost = findPlan(facts.planId)?.flatCost ?? null;
  if (flatCost !== null && counted.by === 'export_rows') return flatPrice(family, flatCost, 0);
  const { units, basis } = boundOf(counted, parameters, facts);
  if (flatCost !== null) return flatPrice(family, flatCost, units);
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
    units,
    byMessages: counted.by === 'messages',
    observed: (seen) => (seen === undefined ? estimated : Math.min(estimated, cost(seen))),
  };
}

/** Weight of a call in flight, by the work that it may cause; a plan with a flat cost does not change it. */
export function weighCall({ family, counted }: OperationPrice, parameters: PricedParameters, symbolTotal: number): number {
  if (counted.by === 'nothing' || counted.by === 'export_rows') return weightOfCall(0);
  if (counted.by === 'messages') return weightOfCall(streamCost(1));
  return weightOfCall(costOf(family, boundOf(counted, parameters, { symbolTotal }).units));
}

/** The price of an operation as figures: `baseCredits`, and 1 for every `stepUnits` of what is counted, begun or full. */
export interface PriceRule {
  readonly credit: CreditKind;
  readonly baseCredits: number;
  /** What is counted; null: nothing, the base is the price. */
  readonly unit: 'symbols' | 'rows' | 'messages' | null;
  /** Null where nothing is counted. */
  readonly stepUnits: number | null;
  /** Whether a step counts once it has begun, or once it is full. */
  readonly step: 'begun' | 'full';
  /** The parameter that bounds the units of a call; null: none does. */
  readonly boundedBy: 'limit' | 'depth' | null;
  /** The most units that one call can have; null: its parameters, or what is stored, decide. */
  readonly unitsMax: number | null;
}

/** The rule by which `priceCall` computes, but for plans with a flat cost. */
export function priceRule({ family, counted }: OperationPrice): PriceRule {
  const { credit, base, unit, unitSize, rounding } = priceOf(family);
  const plain = { credit, unit: null, stepUnits: null, step: 'begun', boundedBy: null, unitsMax: null } as const;
  switch (counted.by) {
    case 'nothing':
      return { ...plain, baseCredits: 0 };
    case 'call':
      return { ...plain, baseCredits: base };
    case 'messages':
      return { ...plain, baseCredits: 0, unit: 'messages', stepUnits: STREAM_MESSAGES_A_CREDIT };
    default: {
      if (unit === null) return { ...plain, baseCredits: base };
      const step = rounding === 'floor' ? 'full' : 'begun';
      const counts = { credit, baseCredits: base, unit, stepUnits: unitSize, step } as const;
      if (counted.by === 'parameter') return { ...counts, boundedBy: counted.parameter, unitsMax: null };
      return { ...counts, boundedBy: null, unitsMax: 'rows_max' in counted ? counted.rows_max : null };
    }
  }
}

/** What an operation costs, in words: the base, and what is counted beside it. */
export function priceWords(price: OperationPrice): string {
  if (price.counted.by === 'nothing') return 'nothing, with a receipt';
  const { credit, baseCredits, unit, stepUnits, step } = priceRule(price);
  const kind = credit === 'export' ? ' export' : '';
  const credits = (count: number): string => `${count}${kind} ${count === 1 ? 'credit' : 'credits'}`;
  if (unit === null || stepUnits === null) return credits(baseCredits);
  const each = stepUnits === 1 ? `for each ${unit.replace(/s$/, '')}` : `for every ${stepsOf(stepUnits, unit, step)}`;
  return baseCredits === 0 ? `${credits(1)} ${each}` : `${credits(baseCredits)}, and 1 ${each}`;
}

function stepsOf(stepUnits: number, unit: string, step: PriceRule['step']): string {
  const units = `${stepUnits.toLocaleString('en')} ${unit}`;
  return step === 'full' ? `full ${units}` : `${units} begun`;
}
