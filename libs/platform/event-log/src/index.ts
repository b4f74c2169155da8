export { compareEntryIds, type EntryId, formatEntryId, LOG_START, type LogEntry, streamKey } from './entries';
export { createEventLog, type EventLog } from './event-log';
export { EventLogError, isEventLogError, type MemoryUsage } from './log-redis';
