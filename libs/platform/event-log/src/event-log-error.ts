/**
 * - `conflict`: there is another payload, or a missing entry, where the entry belongs: a second writer.
 * - `lost`: the store came back without entries that were appended before; the writer must raise the epoch.
 * - `full`: the store has no memory left; nothing of the batch was written.
 * - `fenced`: another writer came after this one, with a newer fence; nothing was written.
 * - `closed`: the log was closed while the call waited.
 */
export type EventLogErrorKind = 'conflict' | 'lost' | 'full' | 'fenced' | 'closed';

/** A failure of the event log that retrying cannot fix. */
export class EventLogError extends Error {
  override readonly name = 'EventLogError';

  constructor(
    readonly kind: EventLogErrorKind,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** Whether a value is an EventLogError, optionally of one kind. */
export function isEventLogError(error: unknown, kind?: EventLogErrorKind): error is EventLogError {
  return error instanceof EventLogError && (kind === undefined || error.kind === kind);
}
