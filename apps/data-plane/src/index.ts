export { readFeedConfig, readRecorderConfig, readRpcConfig } from './config';
export { startRecorder, type RunningRecorder } from './recorder/start-recorder';
export { startDataPlane, type RunningDataPlane } from './server';
export { liveTarget } from './audit/live-target';
export { auditOnce } from './audit/feed-audit';
export { differencesOf } from './audit/differences';
export { type AuditDay, readAuditDays, readDifferenceRuns } from './store/audit-results';
