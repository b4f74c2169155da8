import type { Grant } from './auth/grant';
import type { FixedRepresentation } from './http/representation';
import type { Operation } from './openapi/operations';

export type QueryValues = Readonly<Record<string, unknown>>;

/** An answer with its bytes ready in every encoding. */
export interface ReadyAnswer {
  readonly representation: FixedRepresentation;
  /** Units to charge; undefined charges the estimate. */
  readonly observed: number | undefined;
}

/** Operation with answers that can be ready before they are requested. */
export interface FastRead {
  readonly operation: Operation;
  /**
   * Answer to a valid query if it needs no I/O; null leaves the call to the full route. `inPath` is the raw path
   * parameter, empty without one.
   */
  readonly answer: (query: QueryValues, grant: Grant, inPath: string) => ReadyAnswer | null;
}
