/** Bytes of a file in [from, to). */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** A file that is sent as it comes, of which a caller may ask for a part. */
export interface FileAnswer {
  /** Name under which a caller is to keep it; one of ours. */
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
  /** Of the whole file, lower-case hex. */
  readonly sha256: string;
  /** It is made anew for each call and sent whole, whatever range is asked for; default false. */
  readonly isWhole?: boolean;
  /** Units that the call is charged by; absent: as many as it was estimated at. */
  readonly observed?: number;
  /** The bytes of a range that is not empty, read as fast as they are taken. Ends early when the signal aborts; throws ServiceErrors. */
  read(range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>;
}
