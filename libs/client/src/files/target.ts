export interface FileTarget {
  readonly path: string;
  /** True if it already exists with the right digest. */
  readonly isComplete: boolean;
  /** Includes bytes from earlier attempts. */
  sizeBytes(): number;
  write(chunk: Uint8Array): Promise<void>;
  clear(): Promise<void>;
  /** SHA-256 in hex. */
  digest(): Promise<string>;
  /** Renames the file to its final name and returns its path. */
  finish(): Promise<string>;
  close(): Promise<void>;
}
