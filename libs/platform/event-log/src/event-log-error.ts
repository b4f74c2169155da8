/**
 * - `conflict`: another writer stored a different payload, or an entry is missing.
 * - `lost`: the store lost entries; the writer must raise the epoch.
 * - `full`: out of memory; nothing was written.
 * - `fenced`: a writer with a newer fence took over.
 * - `closed`: the log was closed during the call.
 */
export type EventLogErrorKind = 'conflict' | 'lost' | 'full' | 'fenced' | 'closed';

/** Event log failure that retrying cannot fix. */
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

export function isEventLogError(error: unknown, kind?: EventLogErrorKind): error is EventLogError {
  return error instanceof EventLogError && (kind === undefined || error.kind === kind);
}
