import type { Compression, Dataset, Format } from '@market-state/export-schema';

/** What is exported, with everything resolved. */
export interface ExportSpec {
  readonly dataset: Dataset;
  readonly symbols: readonly string[];
  /** Exchange time, window end of packets, open time of candles, milliseconds since the epoch; inclusive. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Only what was received by then. */
  readonly asOfMs: number;
  readonly format: Format;
  readonly compression: Compression;
  /** Length of a candle, milliseconds; 0 for other datasets. */
  readonly intervalMs: number;
  /** Levels a side; 0 for other datasets than book. */
  readonly depth: number;
  /** Columns in their order, never empty. */
  readonly columns: readonly string[];
}
