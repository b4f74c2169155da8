import type { Send } from './send';
import type { CallOptions, Params, RowOf, Schemas } from './types';

/** RFC 3339, milliseconds since the epoch, or a date. */
export type Instant = string | number | Date;

/** Same names for every channel. */
export interface RangeParams {
  /** BTCUSD-PERP by default. */
  readonly symbol?: string;
  /** Start, inclusive. */
  readonly from: Instant;
  /** End, exclusive; now by default. */
  readonly to?: Instant;
  /** Most rows in total; all by default. */
  readonly limit?: number;
  /** Only what was known at this instant. */
  readonly asOf?: Instant;
}

export type DataRow = Schemas['DataRow'];

/** Rows of `replay/window`, oldest first: at most 7 credits per page of 5,000. */
export interface ChannelRange<C extends DataRow['channel']> extends AsyncIterable<Extract<DataRow, { readonly channel: C }>> {
  /** Reasons for missing rows in the hours read so far. */
  readonly partial: readonly string[];
  /** Gaps in the hours read so far. */
  readonly gapIds: readonly string[];
}

interface Ranged<Rows, P = RangeParams> {
  /**
   * Oldest first, as they are read: hours and pages not reached are not charged. Reading throws RangeError if the span
   * is empty or an instant cannot be read.
   */
  range(params: P, options?: CallOptions): Rows;
}

export interface Ranges {
  readonly book: Ranged<ChannelRange<'book'>>;
  readonly trades: Ranged<ChannelRange<'trades'>>;
  readonly context: Ranged<ChannelRange<'context'>>;
  readonly liquidations: Ranged<ChannelRange<'liquidations'>>;
  readonly candles: Ranged<AsyncIterable<RowOf<'listCandles'>>, RangeParams & { readonly tf?: Params<'listCandles'>['tf'] }>;
  readonly gaps: Ranged<AsyncIterable<RowOf<'listGaps'>>>;
  readonly history: Ranged<AsyncIterable<RowOf<'listHistory', 'packet'>>>;
}

const GROUPS = ['book', 'trades', 'context', 'liquidations', 'candles', 'gaps', 'history'] as const;

/** The code that reads rows is loaded on first use. */
export function addRanges(groups: { readonly [G in keyof Ranges]: object }, send: Send): void {
  for (const group of GROUPS)
    Object.assign(groups[group], {
      range(params: RangeParams, options?: CallOptions) {
        const missing = { partial: [], gapIds: [] };
        return {
          ...missing,
          async *[Symbol.asyncIterator]() {
            const { rangeRows } = await import('./range-rows');
            yield* rangeRows(send, group, params, options, missing);
          },
        };
      },
    });
}
