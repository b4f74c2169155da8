/** Calls of one kind that a program of its own makes, so many a second whatever the answers take. */
export interface LoadOrder {
  /** `http://host:port` of the gateway. */
  readonly url: string;
  /** Paths, taken in turns. */
  readonly paths: readonly string[];
  readonly perSecond: number;
  /** The load ends after so long, if it is not stopped before. */
  readonly secondsMax: number;
  /** Connections kept, each with one call at a time. */
  readonly connections: number;
  /** Loopback addresses that the connections come from, in turns. */
  readonly addresses: readonly string[];
  readonly credentials: { readonly kind: 'keys'; readonly keys: readonly string[] } | { readonly kind: 'unknown'; readonly seed: number };
}

/** A call that was answered well. */
export interface GoodCall {
  /** When it was sent, milliseconds after the start of the load. */
  readonly atMs: number;
  readonly tookMs: number;
  /** Which of the order's keys; 0 without. */
  readonly keyIndex: number;
}

export interface LoadReport {
  /** Calls whose time came. */
  readonly due: number;
  /** Calls that were put on a connection. */
  readonly sent: number;
  readonly durationMs: number;
  readonly good: readonly GoodCall[];
  readonly refused: Readonly<Record<number, number>>;
  /** Of refused calls, milliseconds: 99 of 100 were answered within. */
  readonly refusedP99Ms: number;
  /** Calls whose connection broke, or that had no answer in time. */
  readonly lost: number;
  /** Of lost ones, those of each of the order's keys. */
  readonly lostOfKey: readonly number[];
}
