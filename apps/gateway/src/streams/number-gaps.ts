import type { marketData } from '@market-state/contracts';
import type { StreamPosition } from './position';

/** Which gap it is of those that stand right after one row, from 1. */
export interface NumberedGap {
  readonly epoch: number;
  readonly ordinal: number;
  readonly gapNumber: number;
}

/** Numbers the gaps of one connection, which tells all gaps of a row together and in the same order each time. */
export function createGapNumbers() {
  let ordinalOfLast = -1;
  let gapNumber = 0;
  return {
    /** `before`: where a gap stands that names no row itself. */
    next({ place }: marketData.Gap, before: Pick<StreamPosition, 'epoch' | 'ordinal'>): NumberedGap {
      const { epoch, ordinal } = place ?? before;
      gapNumber = ordinal === ordinalOfLast ? gapNumber + 1 : 1;
      ordinalOfLast = ordinal;
      return { epoch, ordinal, gapNumber };
    },
    /** A new connection begins. */
    restart(): void {
      ordinalOfLast = -1;
    },
  };
}
