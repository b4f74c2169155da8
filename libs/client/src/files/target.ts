/** A file that is being written. */
export interface FileTarget {
  readonly path: string;
  /** Whether it is there already with the right digest. */
  readonly isComplete: boolean;
  /** Bytes written, those of an earlier try included. */
  sizeBytes(): number;
  write(chunk: Uint8Array): Promise<void>;
  /** Drops what was written. */
  clear(): Promise<void>;
  /** SHA-256 of what was written, hex. */
  digest(): Promise<string>;
  /** Gives the file its name, and says where it is. */
  finish(): Promise<string>;
  close(): Promise<void>;
}
