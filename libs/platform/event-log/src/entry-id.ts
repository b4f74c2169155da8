/** Position of an entry in a symbol's log. Ordered by epoch, then ordinal. */
export interface EntryId {
  /** Raised by one each time the stored stream was found empty or behind. */
  readonly epoch: number;
  /** Rises by 1 from 1 and never restarts, even with a new epoch. */
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
  const dash = text.indexOf('-');
  const epoch = wholeNumber(text, 0, dash);
  const ordinal = wholeNumber(text, dash + 1, text.length);
  if (dash < 1 || Number.isNaN(epoch) || Number.isNaN(ordinal)) throw new Error('not an entry id: expected <epoch>-<ordinal>');
  return { epoch, ordinal };
}

/** Decimal digits from `start` to before `end`, at most 15; NaN for anything else. */
function wholeNumber(text: string, start: number, end: number): number {
  if (end <= start || end - start > 15) return NaN;
  let value = 0;
  for (let index = start; index < end; index += 1) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Negative when `a` is before `b`, 0 when they are equal, positive when after. */
export function compareEntryIds(a: EntryId, b: EntryId): number {
  return a.epoch - b.epoch || a.ordinal - b.ordinal;
}
