/** What a line of the gap ledger says of the rows in its span: they are `lost`, it is `unknown` whether some are, or `none` is. */
export type Loss = 'lost' | 'unknown' | 'none';

/** A line of the gap ledger, as far as its loss goes by it. */
export interface LedgerLine {
  /** For example `sequence_gap`; `recording_seam`: a recording began again. */
  readonly reason: string;
  /** `open`, `resynced`, `resumed` or `withdrawn`. */
  readonly resolution: string;
  /** Exchange time, milliseconds; 0 while it is open. */
  readonly endMs: number;
}

/**
 * Loses nothing: a gap that was withdrawn, as all that was missing came late, and a seam after which the recording went on. What was
 * lost in a seam that is still open, or that only a fresh snapshot ended, is unknown.
 */
export function lossOf({ reason, resolution, endMs }: LedgerLine): Loss {
  if (resolution === 'withdrawn') return 'none';
  if (reason !== 'recording_seam') return 'lost';
  return resolution === 'resumed' && endMs !== 0 ? 'none' : 'unknown';
}
