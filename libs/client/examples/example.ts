import type { MarketState } from '../src';

/** What an example is given of the system it runs on. */
export interface Given {
  readonly symbol: string;
  /** Of a packet of that symbol. */
  readonly eventId: string;
  /** A span that has rows, RFC 3339. */
  readonly from: string;
  readonly to: string;
  /** An https address that takes webhooks. */
  readonly receiverUrl: string;
  /** A folder for downloads. */
  readonly folder: string;
  /** An email that nobody has used. */
  readonly newEmail: () => string;
  /** The token of the mail that a reset of the password sends. */
  readonly resetToken: (email: string) => Promise<string>;
}

/** Shows one operation. What it throws is a failure. */
export type Example = (ms: MarketState, given: Given) => Promise<unknown>;
