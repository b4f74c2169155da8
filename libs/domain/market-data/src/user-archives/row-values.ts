import type { Levels } from '../book-side';
import { cellsOf } from '../csv/columns';
import { multiplyDecimals, positiveDecimal, venueNumber } from '../decimal';
import type { PlayedInstrument } from '../played-instrument';
import type { RejectionReason } from '../rejections';

/** Unreadable row. The sentence names the column and its value. */
export class RowError extends Error {
  override readonly name = 'RowError';

  constructor(
    sentence: string,
    readonly reason: RejectionReason = 'unknown_message',
  ) {
    super(sentence);
  }
}

/** Cells of a row; most rows have neither quotes nor spaces and are split at once. */
export function rowCells(line: string): readonly string[] {
  return line.includes('"') || line.includes(' ') ? cellsOf(line) : line.split(',');
}

export function quoted(text: string | undefined): string {
  return JSON.stringify((text ?? '').slice(0, 40));
}

/** @throws RowError */
export function positive(text: string | undefined, name: 'price' | 'amount'): string {
  const value = positiveDecimal(text);
  if (value === undefined)
    throw new RowError(`${name} ${quoted(text)} is not a positive number`, name === 'price' ? 'bad_price' : 'bad_size');
  return value;
}

/** Base units of a size in contracts that are not inverse. */
export function sized(size: string, { contractSize }: PlayedInstrument): string {
  return contractSize === undefined ? size : multiplyDecimals(size, contractSize);
}

/** Price and size as numbers of at most 15 digits; size 0 removes the level. @throws RowError */
export function level(price: string | undefined, amount: string | undefined, instrument: PlayedInstrument): readonly [number, number] {
  const priceNumber = venueNumber(positive(price, 'price'));
  const isRemoved = amount === '0' || Number(amount) === 0;
  const size = isRemoved && amount !== '' ? 0 : venueNumber(sized(positive(amount, 'amount'), instrument));
  if (Number.isNaN(priceNumber)) throw new RowError(`price ${quoted(price)} has more than 15 digits`, 'bad_price');
  if (Number.isNaN(size)) throw new RowError(`amount ${quoted(amount)} has more than 15 digits`, 'bad_size');
  return [priceNumber, size];
}

export interface GrowingLevels extends Levels {
  readonly prices: number[];
  readonly sizes: number[];
}

export function emptyLevels(): GrowingLevels {
  return { prices: [], sizes: [] };
}
