/** What may come again when a connection begins, and is known by the venue's id. */
export interface Identified {
  readonly kind: 'trade' | 'context' | 'liquidation';
  /** '' where the venue gives none: then nothing is known to be the same. */
  readonly venueId: string;
  readonly exchangeTsMs: number;
}
