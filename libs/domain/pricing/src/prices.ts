import document from '../data/prices.json';
import type { CreditKind } from './plans';

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

/** Price of a family: `base`, plus 1 per `unitSize` units, rounded. */
export interface FamilyPrice {
  readonly credit: CreditKind;
  readonly base: number;
  /** Null if only the base is charged. */
  readonly unit: 'symbols' | 'rows' | null;
  readonly unitSize: number;
  readonly rounding: 'ceil' | 'floor';
}

/** A call's estimate and charge use the same one. */
export const PRICE_VERSION: string = document.price_version;

const table: Readonly<Record<WorkloadFamily, { credit: string; base: number; unit?: string; unit_size?: number; rounding?: string }>> =
  document.families;

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
 * Credits for an amount of work.
 * @param units integer of 0 or more; ignored if the family counts none
 * @throws {RangeError} for invalid units
 */
export function costOf(family: WorkloadFamily, units: number): number {
  if (!Number.isSafeInteger(units) || units < 0) throw new RangeError(`units must be an integer of 0 or more, not ${units}`);
  const { base, unit, unitSize, rounding } = priceOf(family);
  return unit === null ? base : base + Math[rounding](units / unitSize);
}

/** Stream messages per credit, rounded up. */
export const STREAM_MESSAGES_A_CREDIT: number = document.stream_messages_a_credit;

/** 1 per hundred, rounded up. */
export function streamCost(messages: number): number {
  return Math.ceil(messages / STREAM_MESSAGES_A_CREDIT);
}
