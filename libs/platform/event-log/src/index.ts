export { type LogEntry, positionsKey, streamKey } from './entries';
export { LOG_START, compareEntryIds, formatEntryId, parseEntryId, type EntryId } from './entry-id';
export { createEventLog, type EventLog, type ReadOptions } from './event-log';
export { EventLogError, isEventLogError, type EventLogErrorKind } from './event-log-error';
export { type FollowOptions } from './follow';
export { type MemoryUsage } from './memory-usage';
