export { searchDueWork, createNotifier, type Notifier, startWakeUpWorkers, type WakeUpQueue } from './notifier';
export { createJobProducer, type JobOutcome, type JobQueue, type NewJob, startJobWorker } from './jobs';
export { holdLease, type Lease, LeaseLostError } from './lease';
export { createProducer, createProducers, type QueueDefinition } from './producer';
export { RetryError, retryDelayMs, type RetrySchedule } from './retry-schedule';
export { startWorker, startWorkers } from './worker';
export { UnrecoverableError } from 'bullmq';
