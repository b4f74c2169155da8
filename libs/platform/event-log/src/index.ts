export {
  compareEntryIds,
  type EntryId,
  formatEntryId,
  LOG_START,
  type LogEntry,
  streamKey,
  EventLogError,
  isEventLogError,
  type MemoryUsage,
} from './log-redis';
export { createEventLog, type EventLog } from './event-log';
