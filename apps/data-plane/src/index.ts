export { readFeedConfig, readRecorderConfig, readRpcConfig } from './config';
export { startRecorder, type RunningRecorder } from './recorder/start-recorder';
export { startDataPlane, type RunningDataPlane } from './server';
export { auditOnce, liveTarget } from './audit/feed-audit';
export { differencesOf } from './audit/differences';
export { type AuditDay, readAuditDays, readDifferenceRuns } from './store/audit-results';
