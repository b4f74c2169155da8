import type { Grant } from './auth/grant';
import type { FixedRepresentation } from './http/representation';
import type { Operation } from './openapi/operations';

/** Query parameters by name, validated and with their defaults. */
export type QueryValues = Readonly<Record<string, unknown>>;

/** An answer whose bytes are there in every coding. */
export interface ReadyAnswer {
  readonly representation: FixedRepresentation;
  /** Units that the call is charged by; undefined: as many as it was estimated at. */
  readonly observed: number | undefined;
}

/** An operation some of whose answers are ready before they are asked for. */
export interface FastRead {
  readonly operation: Operation;
  /**
   * The answer to a good query, where it needs no question to anyone; null: the full route is to serve the call. `inPath` is what stands in
   * the place of the path's parameter, as it was sent; empty where it has none.
   */
  readonly answer: (query: QueryValues, grant: Grant, inPath: string) => ReadyAnswer | null;
}
