/** Length of the candles that are stored. */
export const MINUTE_MS = 60_000;

/** What a batch of trades adds to a minute; decimals in plain notation. Names are those of the statement that takes it. */
export interface CandleChange {
  readonly open_ms: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  /** Base units. */
  readonly volume: string;
  /** Price × size of trades whose quantity the venue gives in base units. */
  readonly value: string;
  /** Contracts of all other trades. */
  readonly contracts: string;
  /** Price × size of those: what counts where nobody knows what a contract is worth. */
  readonly contract_trades: string;
  readonly trade_total: number;
  readonly open_key: string;
  readonly close_key: string;
}
