import document from '../data/prices.json';
import type { CreditKind } from './plans';

/** The twelve kinds of work that are priced. */
export const WORKLOAD_FAMILIES = [
  'latest_packet',
  'derived_read',
  'packet_replay',
  'packet_history',
  'event_evidence',
  'workbench',
  'market_data_latest',
  'market_data_candles',
  'market_data_replay_window',
  'connector_spec',
  'workflow_automation',
  'export_job',
] as const;

export type WorkloadFamily = (typeof WORKLOAD_FAMILIES)[number];

/** A family's price: `base`, and 1 for every `unitSize` units, rounded. */
export interface FamilyPrice {
  readonly credit: CreditKind;
  readonly base: number;
  /** What is counted; null if the base is the price. */
  readonly unit: 'symbols' | 'rows' | null;
  readonly unitSize: number;
  readonly rounding: 'ceil' | 'floor';
}

/** Version of the price table: estimate and charge of a call use the same one. */
export const PRICE_VERSION: string = document.price_version;

const table: Readonly<Record<WorkloadFamily, { credit: string; base: number; unit?: string; unit_size?: number; rounding?: string }>> =
  document.families;

/** The price of a family. */
export function priceOf(family: WorkloadFamily): FamilyPrice {
  const { credit, base, unit, unit_size: unitSize, rounding } = table[family];
  return {
    credit: credit as CreditKind,
    base,
    unit: (unit as FamilyPrice['unit'] | undefined) ?? null,
    unitSize: unitSize ?? 1,
    rounding: rounding === 'floor' ? 'floor' : 'ceil',
  };
}

/**
 * Credits, of the family's kind, for work of this many units.
 * @param units whole, 0 or more; ignored if the family counts none
 * @throws {RangeError} when it is not
 */
export function costOf(family: WorkloadFamily, units: number): number {
  if (!Number.isSafeInteger(units) || units < 0) throw new RangeError(`units must be a whole number of 0 or more, not ${units}`);
  const { base, unit, unitSize, rounding } = priceOf(family);
  return unit === null ? base : base + Math[rounding](units / unitSize);
}

/** Messages of a stream that cost 1 credit, once they are begun. */
export const STREAM_MESSAGES_A_CREDIT: number = document.stream_messages_a_credit;

/** Market-state credits for this many messages of a stream: 1 for every hundred begun. */
export function streamCost(messages: number): number {
  return Math.ceil(messages / STREAM_MESSAGES_A_CREDIT);
}
