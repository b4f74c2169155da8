/** Length of a candle by its name, milliseconds. */
export const TIMEFRAMES = { '1m': 60_000, '5m': 300_000, '15m': 900_000, '1h': 3_600_000, '4h': 14_400_000, '1d': 86_400_000 } as const;

export type Timeframe = keyof typeof TIMEFRAMES;

/** Their names, shortest first. */
export const TIMEFRAME_NAMES = Object.keys(TIMEFRAMES) as readonly Timeframe[];
