export { createProducer, createProducers } from './producer';
export { type QueueDefinition } from './queue-definition';
export { startWorker, startWorkers } from './worker';
