import { type CreditKind, findPlan, weightOfCall } from './plans';
import { priceOf, STREAM_MESSAGES_A_CREDIT, costOf, streamCost, type WorkloadFamily } from './prices';

/** Unit by which a call's upper bound and actual cost are counted. */
type Counted =
  | { readonly by: 'call' }
  /** Free: the call only gets a receipt. */
  | { readonly by: 'nothing' }
  /** Rows, at most this query parameter's value. */
  | { readonly by: 'parameter'; readonly parameter: 'limit' | 'depth' }
  | { readonly by: 'page'; readonly rows_max: number }
  | { readonly by: 'rows'; readonly rows_max: number }
  | { readonly by: 'candles'; readonly rows_max: number }
  | { readonly by: 'symbols' }
  | { readonly by: 'messages' }
  /** Rows of an export, counted from the manifest. */
  | { readonly by: 'export_rows' };

/** `x-price` in the OpenAPI document. */
export interface OperationPrice {
  readonly family: WorkloadFamily;
  readonly counted: Counted;
}

/** Typed as in the OpenAPI document. */
export interface PricedParameters {
  readonly limit?: number;
  readonly depth?: number;
  readonly symbol?: string;
  /** Candles in the requested window; absent or null for an open window. */
  readonly windowCandles?: number | null;
}

export interface PriceFacts {
  /** Number of symbols that `ALL` currently covers. */
  readonly symbolTotal: number;
  readonly planId: string;
  /** Maximum messages of a stream, if known in advance (replays). */
  readonly messages?: number;
}

/** Price of a call: upper bound in advance, actual cost afterwards. */
export interface CallPrice {
  readonly family: WorkloadFamily;
  readonly credit: CreditKind;
  /** Upper bound in credits; for a stream of unknown length, the cost of the first hundred messages. */
  readonly estimated: number;
  readonly basis: string;
  /** Rows or symbols in the upper bound; 0 if the operation counts none. */
  readonly units: number;
  readonly byMessages: boolean;
  /** Credits for the observed units, never above the upper bound; the upper bound if undefined. */
  observed(units: number | undefined): number;
}

interface Bound {
  readonly units: number;
  readonly basis: string;
}

function candleBound(windowCandles: number | null, rowsMax: number): Bound {
  if (windowCandles === null) return { units: rowsMax, basis: `at most ${rowsMax} candles per page` };
  const units = Math.min(rowsMax, windowCandles);
  return { units, basis: `at most ${units} candles in the window` };
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
      return { units: counted.rows_max, basis: `at most ${counted.rows_max} rows per page` };
    case 'rows':
      return { units: counted.rows_max, basis: `at most ${counted.rows_max} rows` };
    case 'candles':
      return candleBound(parameters.windowCandles ?? null, counted.rows_max);
    case 'symbols': {
      const units = parameters.symbol === 'ALL' ? Math.max(1, symbolTotal) : 1;
      return { units, basis: units === 1 ? 'one symbol' : `${units} symbols served` };
    }
    case 'messages':
      return messages === undefined
        ? { units: 1, basis: 'per 100 messages, rounded up; heartbeats are free' }
        : { units: messages, basis: `per 100 messages, rounded up, of at most ${messages}; heartbeats are free` };
    case 'export_rows':
      throw new Error('the rows of an export are not known here');
  }
}

/** The call's parameters determine its upper bound. */
export function isPricedByParameters({ counted }: OperationPrice): boolean {
  return counted.by !== 'export_rows';
}

/** A stream, charged while messages are sent. */
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
 * Price of a call. Plans with a flat cost pay that per call instead.
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

/** In-flight weight of a call, from the work it may cause; flat costs do not affect it. */
export function weighCall({ family, counted }: OperationPrice, parameters: PricedParameters, symbolTotal: number): number {
  if (counted.by === 'nothing' || counted.by === 'export_rows') return weightOfCall(0);
  if (counted.by === 'messages') return weightOfCall(streamCost(1));
  return weightOfCall(costOf(family, boundOf(counted, parameters, { symbolTotal }).units));
}

/** Price of an operation as numbers: `baseCredits`, plus 1 per `stepUnits`. */
export interface PriceRule {
  readonly credit: CreditKind;
  readonly baseCredits: number;
  /** Null if only the base is charged. */
  readonly unit: 'symbols' | 'rows' | 'messages' | null;
  readonly stepUnits: number | null;
  /** `begun` rounds partial steps up, `full` rounds them down. */
  readonly step: 'begun' | 'full';
  /** Parameter that bounds the units of a call, if any. */
  readonly boundedBy: 'limit' | 'depth' | null;
  /** Maximum units of a call; null if parameters or stored data determine it. */
  readonly unitsMax: number | null;
}

/** Returns the rule of `priceCall`, except for plans with a flat cost. */
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

/** The base and the counted units as a sentence. */
export function priceWords(price: OperationPrice): string {
  if (price.counted.by === 'nothing') return 'free, with a receipt';
  const { credit, baseCredits, unit, stepUnits, step } = priceRule(price);
  const kind = credit === 'export' ? ' export' : '';
  const credits = (count: number): string => `${count}${kind} ${count === 1 ? 'credit' : 'credits'}`;
  if (unit === null || stepUnits === null) return credits(baseCredits);
  const each = stepUnits === 1 ? `per ${unit.replace(/s$/, '')}` : `for every ${stepsOf(stepUnits, unit, step)}`;
  return baseCredits === 0 ? `${credits(1)} ${each}` : `${credits(baseCredits)}, and 1 ${each}`;
}

function stepsOf(stepUnits: number, unit: string, step: PriceRule['step']): string {
  const units = `${stepUnits.toLocaleString('en')} ${unit}`;
  return step === 'full' ? `full ${units}` : `${units}, rounded up`;
}
