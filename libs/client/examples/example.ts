import type { MarketState } from '../src';

/** Context of an example. */
export interface Given {
  readonly symbol: string;
  /** Event of a packet of that symbol. */
  readonly eventId: string;
  /** Span that has rows, RFC 3339. */
  readonly from: string;
  readonly to: string;
  /** An https address that accepts webhooks. */
  readonly receiverUrl: string;
  readonly folder: string;
  /** Returns an unused email address. */
  readonly newEmail: () => string;
  /** Code from the confirmation email. */
  readonly mailedCode: (email: string) => Promise<string>;
  /** Token from the password reset email. */
  readonly resetToken: (email: string) => Promise<string>;
}

/** Shows one operation; throws if it fails. */
export type Example = (ms: MarketState, given: Given) => Promise<unknown>;
