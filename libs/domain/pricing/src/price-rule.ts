import type { OperationPrice } from './call-price';
import type { CreditKind } from './plans';
import { priceOf, STREAM_MESSAGES_A_CREDIT } from './prices';

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
