export const DATASETS = ['book', 'trades', 'candles', 'context', 'liquidations', 'packets'] as const;

export type Dataset = (typeof DATASETS)[number];

const LOG_DATASETS = ['book', 'trades', 'context', 'liquidations'] as const satisfies readonly Dataset[];

export type LogDataset = (typeof LOG_DATASETS)[number];

export function isLogDataset(dataset: Dataset): dataset is LogDataset {
  return LOG_DATASETS.some((known) => known === dataset);
}

export const DEFAULT_DATASET: Dataset = 'packets';

/** Candle length in milliseconds by name, shortest first. */
export const TIMEFRAMES = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000 } as const;

export type Timeframe = keyof typeof TIMEFRAMES;

export const TIMEFRAME_NAMES = Object.keys(TIMEFRAMES) as readonly Timeframe[];

export const DEFAULT_TIMEFRAME: Timeframe = '1m';

export const SPAN_MS_MAX = 31 * 86_400_000;

export const SYMBOLS_MAX = 20;
