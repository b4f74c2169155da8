import { Client, type QueryResult } from 'pg';
import { toRequestError } from './errors';

type Callback = (error: unknown, result: QueryResult) => void;

/** A connection whose statements fail with INVALID_ARGUMENT if the database rejects a value: that is a fault of the request. */
export class RequestClient extends Client {
  // The overloads of `query` take a callback last (as pools do), a stream of their own, or return a promise.
  override query(...parts: unknown[]): never {
    const send = super.query as (...parts: unknown[]) => unknown;
    const callback = parts.at(-1);
    if (typeof callback === 'function') {
      const report: Callback = (error, result) => (callback as Callback)(error ? toRequestError(error) : error, result);
      return send.call(this, ...parts.slice(0, -1), report) as never;
    }
    const sent = send.call(this, ...parts);
    return (sent instanceof Promise ? sent.catch(rethrow) : sent) as never;
  }
}

function rethrow(error: unknown): never {
  throw toRequestError(error);
}
