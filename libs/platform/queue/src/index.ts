export { searchDueWork } from './due-work';
export { createNotifier, type Notifier, startWakeUpWorkers, type WakeUpQueue } from './notifier';
export { createProducer, createProducers } from './producer';
export { type QueueDefinition } from './queue-definition';
export { retryDelayMs, type RetrySchedule } from './retry-schedule';
export { startWorker, startWorkers } from './worker';
