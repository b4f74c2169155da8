/** What is kept of the packets of a symbol, in the database and in the archive. Times are window ends. */
export interface HeldPackets {
  readonly symbol: string;
  /** Undefined where there is no packet. */
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  readonly total: number;
  readonly archive: ArchiveTotals;
}

/** What the archive holds of one kind of row of a symbol. */
export interface ArchiveTotals {
  readonly hourTotal: number;
  readonly rowTotal: number;
  /** Undefined where the size of a file is not known. */
  readonly byteTotal: number | undefined;
  /** Rows of windows that end before it are in the archive alone; 0 where none is. */
  readonly hotFromMs: number;
}
