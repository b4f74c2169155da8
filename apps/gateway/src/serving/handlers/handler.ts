import type { Credential } from '../auth/credential';
import type { Grant } from '../auth/grant';
import type { Representation } from '../http/representation';
import type { CallTry } from './call-try';
import type { Operation } from '../openapi/operations';
import type { StreamSource } from './source';
import type { Input } from '../validation/request-validator';

/** A request that was let in and keeps to the document. */
export interface Call {
  readonly operation: Operation;
  readonly input: Input;
  /** Null on a route that needs no credential. */
  readonly grant: Grant | null;
  /** What was presented; null when nothing. */
  readonly credential: Credential | null;
  /** The query as sent, without `?`. */
  readonly rawQuery: string;
  readonly requestId: string;
  /** Network address of the caller. */
  readonly address: string;
  /** The body as it was sent; undefined when there is none. */
  readonly bodyBytes: Buffer | undefined;
  /** Of a call with an Idempotency-Key. */
  readonly ownTry?: CallTry;
}

/** A body to send, and what goes with it. */
export type Reply = Representation & {
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Units that the call is charged by, as they came out: rows or symbols of the answer; absent: as many as it was estimated at. */
  readonly observed?: number;
};

/** Serves one operation: with a body, or with messages without an end. What it throws becomes the error answer. */
export type Handler = (call: Call) => Promise<Reply | StreamSource> | Reply | StreamSource;

export function isStream(answer: Reply | StreamSource): answer is StreamSource {
  return 'pieces' in answer;
}
