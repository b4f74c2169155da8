import type { BundleCheck } from '@market-state/labeler/recompute';

export interface PublishedKey {
  readonly kid: string;
  /** The 32 bytes of the Ed25519 key, base64url. */
  readonly x: string;
}

export interface RecomputeRequest {
  /** Gzipped NDJSON of `events/{event_id}/bundle`. Transferred to the worker, so the caller loses it. */
  readonly bundle: ArrayBuffer;
  /** Market to check in a dump of several; if absent, all lines are of one. */
  readonly chosen?: { readonly market: string; readonly markets: readonly string[] };
  /** Policy files by name, as published by `labeling-policy`. */
  readonly policyFiles: object;
  /** Null if none are published, as for the sample; the bundle's own are then used. */
  readonly keys: readonly PublishedKey[] | null;
  /** Defaults to the last packet of the bundle. */
  readonly eventId?: string;
  /** Moves the price of one trade by 0.1 before the check, to show that the change is detected. */
  readonly tamper?: {
    /** Counted back from the window's end; 1 is the last trade. */
    readonly trade: number;
  };
}

export interface MovedTrade {
  /** Position in the symbol's log. */
  readonly ordinal: number;
  /** Exchange time. */
  readonly atMs: number;
  readonly price: string;
  readonly movedPrice: string;
}

/** Progress messages, then exactly one of the others. */
export type RecomputeMessage =
  | { readonly type: 'progress'; readonly entryTotal: number; readonly windowEndMs: number | null }
  | {
      readonly type: 'checked';
      readonly check: BundleCheck;
      /** Trades up to the end of the packet's window; each can be moved. */
      readonly tradeTotal: number;
      readonly moved: MovedTrade | null;
    }
  /** The bundle cannot be checked. `lines` are shown as they are. */
  | { readonly type: 'refused'; readonly lines: readonly string[] };
