import type { TapeStep } from './market-tape';

export interface StreamText {
  readonly stream: string;
  readonly channel: 'book' | 'trade' | 'context' | 'liquidation';
  readonly text: string;
}

/** Reply to a client's text; streams that begin send their opening texts after the replies. */
export interface ClientReply {
  readonly replies: readonly string[];
  readonly begin?: readonly string[];
  readonly end?: readonly string[];
}

export interface ListingState {
  readonly isListed: boolean;
  /** A second perpetual, which has no data, is traded according to the metadata. */
  readonly hasSecond: boolean;
  readonly tickSize: string;
}

/** A venue's protocol over the simulated market. */
export interface Dialect {
  /** Venue in the registry of market data. */
  readonly venue: string;
  readonly instrument: string;
  readonly socketPaths: readonly string[];
  texts(step: TapeStep): readonly StreamText[];
  opening(stream: string): readonly string[];
  reply(text: string, listing: ListingState): ClientReply;
  /** Undefined: unknown route. */
  answer(url: URL, listing: ListingState): unknown;
  /** Restarts the numbers of the book, as after the venue's maintenance. @returns texts that show it */
  restart(): readonly StreamText[];
}
