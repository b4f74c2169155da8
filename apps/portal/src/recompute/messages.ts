import type { BundleCheck } from '@market-state/labeler/recompute';

/** A published key, as `/.well-known/market-state-keys.json` lists it. */
export interface PublishedKey {
  readonly kid: string;
  /** The 32 bytes of the Ed25519 key, base64url. */
  readonly x: string;
}

/** What a worker is asked to check: one bundle, once. */
export interface RecomputeRequest {
  /** gzip of NDJSON, as `events/{event_id}/bundle` serves it. It goes over to the worker and is gone here. */
  readonly bundle: ArrayBuffer;
  /** Of a dump of several symbols, the one to check; without it, all lines are of one. */
  readonly symbol?: string;
  /** The policy's files by name, as `labeling-policy` publishes them. */
  readonly policyFiles: object;
  /** Null: none are published for it, as for the sample; then those of the bundle count. */
  readonly keys: readonly PublishedKey[] | null;
  /** The packet asked for; without it, the last of the bundle. */
  readonly eventId?: string;
  /** Checks the bundle with the price of one trade moved by 0.1, to show that it is found. */
  readonly tamper?: {
    /** Which trade, counted back from the end of the window of the packet asked for: 1 is its last. */
    readonly trade: number;
  };
}

/** A trade whose price was moved before the check. */
export interface MovedTrade {
  /** Place in the symbol's log. */
  readonly ordinal: number;
  /** Exchange time, milliseconds since the epoch. */
  readonly atMs: number;
  readonly price: string;
  readonly movedPrice: string;
}

/** What the worker says: progress, then one of the others, which is its last word. */
export type RecomputeMessage =
  | { readonly type: 'progress'; readonly entryTotal: number; readonly windowEndMs: number | null }
  | {
      readonly type: 'checked';
      readonly check: BundleCheck;
      /** Trades up to the end of the packet's window: as many can be moved. */
      readonly tradeTotal: number;
      /** Null where none was moved. */
      readonly moved: MovedTrade | null;
    }
  /** It is no bundle that can be checked. Sentences, to be shown as they are. */
  | { readonly type: 'refused'; readonly lines: readonly string[] };
