export { backoffMs, delay, waitFor } from './backoff';
export { type Closable, type Closer, createCloser, repeatUntilClosed, runUntilClosed } from './closer';
export {
  type ConcurrencyLimit,
  createConcurrencyLimit,
  createKeyedConcurrencyLimit,
  type KeyedConcurrencyLimit,
} from './concurrency-limit';
export { runTogether } from './run-together';
export { inSlices, runInSlices, yieldToEventLoop } from './yield-to-event-loop';
export { CONFIG_EXIT_CODE, runMain } from './run-main';
export { timeLimit, beforeDeadline, within } from './time-limit';
