export { backoffMs, delay, type BackoffOptions } from './backoff';
export { CloseError, createCloser, type Closable, type Closer } from './closer';
export { CONFIG_EXIT_CODE, runMain } from './run-main';
export { repeatUntilClosed, type Repetition, runUntilClosed } from './run-until-closed';
export { waitFor, type WaitForOptions } from './wait-for';
export { beforeDeadline, within } from './within';
