import type { Grant } from '../auth/grant';
import type { Representation } from '../http/representation';
import type { Operation } from '../openapi/operations';
import type { StreamSource } from '../streams/source';
import type { Input } from '../validation/request-validator';

/** A request that was let in and keeps to the document. */
export interface Call {
  readonly operation: Operation;
  readonly input: Input;
  /** Null on a route that needs no credential. */
  readonly grant: Grant | null;
}

/** Serves one operation: with a body, or with messages without an end. What it throws becomes the error answer. */
export type Handler = (call: Call) => Promise<Representation | StreamSource> | Representation | StreamSource;

export function isStream(answer: Representation | StreamSource): answer is StreamSource {
  return 'pieces' in answer;
}
