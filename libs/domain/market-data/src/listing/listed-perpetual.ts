import type { InstrumentFacts } from '../played-instrument';

export interface ListedPerpetual extends InstrumentFacts {
  readonly venueInstrument: string;
  /** Coin without a multiplier: `PEPE` for `kPEPE` and `1000PEPE`. */
  readonly base: string;
  /** Unit of quantities: base units, inverse contracts worth US dollars, or contracts of base units. */
  readonly unit: 'base' | { readonly contractValue: string } | { readonly contractSize: string };
  /** Absent if it is traded now. */
  readonly notTraded?: string;
}

/** Relative to the venue's REST address. Absent body: GET. */
export interface ListingRequest {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
  /** An answer is used if it arrives; without it some facts stay unknown. */
  readonly isOptional?: true;
  next?(answer: unknown): string | undefined;
}

/** Answers by request name, one per page. */
export type ListingAnswers = Readonly<Record<string, readonly unknown[]>>;

export interface VenueListing {
  readonly requests: readonly ListingRequest[];
  /** @throws ListingError if the answers are not the venue's metadata */
  read(answers: ListingAnswers): readonly ListedPerpetual[];
}

export class ListingError extends Error {
  override readonly name = 'ListingError';
}

export interface MultipliedName {
  readonly base: string;
  readonly multiplier: string;
}

const LEADING = /^(1(?:0{3,6}|M))([A-Z][A-Z0-9]+)$/;
const TRAILING = /^([A-Z][A-Z0-9]*[A-Z])(10{3,6})$/;
const MILLION = '1000000';

/** `1000PEPE`, `1MBABYDOGE` and `SHIB1000` by name, because no metadata states the multiplier; `1INCH` is a coin. */
export function multipliedName(name: string): MultipliedName {
  const [, first, coin] = LEADING.exec(name) ?? [];
  if (first !== undefined && coin !== undefined) return { base: coin, multiplier: first === '1M' ? MILLION : first };
  const [, named, last] = TRAILING.exec(name) ?? [];
  return named !== undefined && last !== undefined ? { base: named, multiplier: last } : { base: name, multiplier: '1' };
}
