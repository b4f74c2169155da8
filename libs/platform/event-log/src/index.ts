export { type LogEntry, streamKey } from './entries';
export { LOG_START, compareEntryIds, formatEntryId, type EntryId } from './entry-id';
export { createEventLog, type EventLog } from './event-log';
export { EventLogError, isEventLogError } from './event-log-error';
export type { MemoryUsage } from './memory-usage';
