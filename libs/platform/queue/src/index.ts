export { type AddOptions, createProducer, type Producer } from './producer';
export { type QueueDefinition } from './queue-definition';
export { type RunningWorker, startWorker, type WorkerOptions } from './worker';
