import { ReplyError } from 'ioredis';

/** Whether Redis itself refused, as opposed to a lost, absent or silent connection. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof ReplyError;
}

/** Whether no answer came in time: the connection may be one to a node that is silent. */
export function isLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Command timed out';
}
