/** A file of the archive and what it must be. */
export interface SourceFile {
  readonly key: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** An hour that a part is made from. */
export interface SourceHour {
  /** Start of the hour, milliseconds since the epoch. */
  readonly hourMs: number;
  /** Of the log, inclusive; 0 for packets. */
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  /** Rows of the part in it. */
  readonly rows: number;
  /** Absent: its rows are asked for. */
  readonly file?: SourceFile;
}

/** What a part is made from. */
export interface PartPlan {
  /** As in ExportSpec, of this part. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Last entry of the log that counts; 0 for packets and candles. */
  readonly toOrdinal: number;
  /** In the order of their rows; none for candles. */
  readonly hours: readonly SourceHour[];
}

/** A data file that is planned. */
export interface PlannedPart {
  /** From 1, by symbol and day. */
  readonly number: number;
  readonly symbol: string;
  /** Start of the UTC day. */
  readonly dayMs: number;
  readonly name: string;
  readonly plan: PartPlan;
  /** Exact, but for candles, where it is the most that there can be. */
  readonly rowTotal: number;
  /** Estimate. */
  readonly byteTotal: number;
}

/** Rows of an hour that are late, or whose two times lie more than 2 s apart. */
export interface FlaggedHour {
  readonly hourMs: number;
  readonly late: number;
  readonly skewed: number;
}

/** What was found in a file that was made. */
export interface PartFacts {
  readonly rows: number;
  /** Milliseconds since the epoch; null in a file without rows. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Rows of which it is not known whether the venue gave their time: of archive files from before that was kept. */
  readonly uncheckedRows: number;
  readonly flagged: readonly FlaggedHour[];
  /** Packets: digests of the policies that they name. */
  readonly policyDigests?: readonly string[];
}
