/** Where re-deriving a symbol's packets may begin: what stands around the labeler's state after one log entry. */
export interface CheckpointHeader {
  readonly symbol: string;
  /** T of the newest packet of the state, milliseconds since the epoch. */
  readonly windowEndMs: number;
  /** The last log entry that the state has taken. */
  readonly epoch: number;
  readonly ordinal: number;
  /** Of the packet at `windowEndMs`. */
  readonly lineageDigest: string;
  readonly policyDigest: string;
  /** SHA-256 of the state's bytes before they are packed. */
  readonly stateDigest: string;
}

export interface Checkpoint extends CheckpointHeader {
  /** The whole state as the labeler's serializer wrote it, gzip. */
  readonly stateGzip: Uint8Array;
}
