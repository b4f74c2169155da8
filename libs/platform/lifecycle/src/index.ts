export { backoffMs, delay } from './backoff';
export { inTurns, ownTurn } from './own-turn';
export { createCloser, type Closable, type Closer } from './closer';
export { CONFIG_EXIT_CODE, runMain } from './run-main';
export { repeatUntilClosed, runUntilClosed } from './run-until-closed';
export { timeLimit } from './time-limit';
export {
  type ConcurrencyLimit,
  createConcurrencyLimit,
  createKeyedConcurrencyLimit,
  type KeyedConcurrencyLimit,
} from './concurrency-limit';
export { waitFor } from './wait-for';
export { beforeDeadline, within } from './within';
