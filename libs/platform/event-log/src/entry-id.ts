/** Place of an entry in a symbol's log. Ordered by epoch, then ordinal. */
export interface EntryId {
  /** Raised by one each time the stored stream was found empty or behind. */
  readonly epoch: number;
  /** Rises by 1 from 1 and never restarts, also over epochs. */
  readonly ordinal: number;
}

/** Before every entry: reading after it starts at the oldest one kept. */
export const LOG_START: EntryId = { epoch: 0, ordinal: 0 };

/** `<epoch>-<ordinal>`, the id of the entry in Redis. */
export function formatEntryId(id: EntryId): string {
  return `${id.epoch}-${id.ordinal}`;
}

/** Reads `<epoch>-<ordinal>`; throws on anything else. */
export function parseEntryId(text: string): EntryId {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  if (match === null) throw new Error('not an entry id: expected <epoch>-<ordinal>');
  return { epoch: Number(match[1]), ordinal: Number(match[2]) };
}

/** Negative when `a` stands before `b`, 0 when they are the same place, positive when after. */
export function compareEntryIds(a: EntryId, b: EntryId): number {
  return a.epoch - b.epoch || a.ordinal - b.ordinal;
}
