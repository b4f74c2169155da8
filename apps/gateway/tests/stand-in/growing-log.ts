import { logGap, logRow, type RowLog } from './row-log';

const CHANNELS = ['book', 'trades', 'context'] as const;

/** Log of one symbol that alternates three channels, with gaps. */
export interface GrowingLog {
  append(total: number, sizeBytes?: number): void;
  /** Ordinal of the newest row. */
  last(): number;
}

export function createGrowingLog(rows: Pick<RowLog, 'append'>, symbol: string): GrowingLog {
  let last = 0;
  return {
    append(total, sizeBytes = 0) {
      for (const end = last + total; last < end; ) {
        last += 1;
        rows.append({ row: logRow(symbol, last, CHANNELS[last % 3] ?? 'book', sizeBytes) });
        if (last % 17 === 0) rows.append({ gap: logGap(symbol, last, last % 2 === 0 ? '' : 'trades') });
        if (last % 51 === 0) rows.append({ gap: logGap(symbol, last, 'book', 1) });
      }
    },
    last: () => last,
  };
}
