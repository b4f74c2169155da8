import type { Grant } from './auth/grant';
import type { FixedRepresentation } from './http/representation';
import type { Operation } from './openapi/operations';

export type QueryValues = Readonly<Record<string, unknown>>;

export interface ReadyAnswer {
  readonly representation: FixedRepresentation;
  /** Undefined charges the estimate. */
  readonly observed: number | undefined;
}

export interface FastRead {
  readonly operation: Operation;
  /** Null leaves the call to the full route. `inPath` is the raw path parameter, empty without one. */
  readonly answer: (query: QueryValues, grant: Grant, inPath: string) => ReadyAnswer | null;
}
