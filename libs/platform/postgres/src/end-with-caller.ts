import { currentRequestContext } from '@market-state/logging';
import type { Pool, PoolClient } from 'pg';
import { isServerAnswer } from './errors';

/** Statements that undo the work of a caller who has left. */
const UNDOES = 'ROLLBACK';

/** Rejects with the signal's reason once it aborts; a connection that comes later goes back at once. */
function connectedBefore(signal: AbortSignal, connecting: Promise<PoolClient>): Promise<PoolClient> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    connecting.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Until the connection is given back, its statement is cancelled when the signal aborts, and no further one begins. */
function bindTo(signal: AbortSignal, client: PoolClient, cancel: (processId: number) => Promise<unknown>): PoolClient {
  const { release } = client;
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  const bound = client as { query?: unknown; processID?: number };
  /** Whether the database has confirmed the cancellation. */
  let cancelling: Promise<boolean> | undefined;
  const onAbort = (): void => {
    cancelling = cancel(bound.processID ?? 0).then(
      () => true,
      () => false,
    );
  };
  signal.addEventListener('abort', onAbort, { once: true });
  bound.query = (...parts: unknown[]) => (signal.aborted && parts[0] !== UNDOES ? Promise.reject(signal.reason as Error) : query(...parts));
  client.release = (broken) => {
    signal.removeEventListener('abort', onAbort);
    delete bound.query;
    // Whoever has the connection next must not meet the cancelling of this caller's statement.
    if (cancelling === undefined) release(broken);
    else void cancelling.then((isOver) => release(isOver ? broken : true));
  };
  return client;
}

/**
 * Makes queries of a pool end with the request being served: waits for a connection end, a running statement is cancelled in the
 * database, and none begins. Queries outside a request, or in one without a signal, run to their end.
 */
export function endWithCaller(pool: Pool, canceller: Pool): void {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>;
  const end = pool.end.bind(pool) as () => Promise<void>;
  const cancel = (processId: number): Promise<unknown> => canceller.query('SELECT pg_cancel_backend($1)', [processId]);

  async function connectForCaller(): Promise<PoolClient> {
    const signal = currentRequestContext()?.signal;
    if (signal === undefined) return connect();
    signal.throwIfAborted();
    return bindTo(signal, await connectedBefore(signal, connect()), cancel);
  }

  async function query(...parts: [string, unknown[]?]): Promise<unknown> {
    const client = await connectForCaller();
    try {
      const result: unknown = await client.query(...parts);
      client.release();
      return result;
    } catch (error) {
      // Only an answer of the server, or that nothing was sent, shows that nothing of this statement is still to come on the connection.
      const isInStep = isServerAnswer(error) || error === currentRequestContext()?.signal?.reason;
      client.release(!isInStep);
      throw error;
    }
  }

  Object.assign(pool, {
    connect: connectForCaller,
    query,
    end: async () => {
      await Promise.all([end(), canceller.end()]);
    },
  });
}
