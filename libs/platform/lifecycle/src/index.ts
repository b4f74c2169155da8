export { backoffMs, delay, waitFor, timeLimit, beforeDeadline, within } from './waits';
export { type Closable, type Closer, createCloser, repeatUntilClosed, runUntilClosed } from './closer';
export {
  type ConcurrencyLimit,
  createConcurrencyLimit,
  createKeyedConcurrencyLimit,
  type KeyedConcurrencyLimit,
  runTogether,
  inSlices,
  runInSlices,
  yieldToEventLoop,
} from './concurrency';
export { CONFIG_EXIT_CODE, runMain } from './run-main';
