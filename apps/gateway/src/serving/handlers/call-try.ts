/** A try of a call with an Idempotency-Key, by which a service knows an effect that an earlier try had. */
export interface CallTry {
  /** The same for every try of the call, on every gateway. */
  readonly operationId: string;
  /** Rises with every try. */
  readonly operationFence: number;
}
