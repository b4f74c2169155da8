export { createProducer } from './producer';
export { type QueueDefinition } from './queue-definition';
export { startWorker } from './worker';
