import { currentRequestContext, type Logger } from '@market-state/logging';
import { Client, Pool, type PoolClient, type QueryResult } from 'pg';
import { isServerAnswer, toRequestError } from './errors';

interface PoolOptions {
  readonly url: string;
  readonly logger: Logger;
  /** Shown in the server's list of sessions. */
  readonly applicationName: string;
  /** Most connections; default 5. */
  readonly max?: number;
  /** Time to get a connection, milliseconds; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Time of one statement, milliseconds; default 10,000. */
  readonly statementTimeoutMs?: number;
  /** Whether queries made while a request is served end with that request, also in the database; default false. For services that read. */
  readonly endsWithCaller?: boolean;
}

/** Connections over which statements are cancelled. */
const CANCELLERS_MAX = 2;

/**
 * A pool in which every wait is bounded. A connection that breaks while idle is logged and replaced. A statement with a value that the
 * database cannot store, such as text with U+0000, fails with INVALID_ARGUMENT.
 */
export function createPool(options: PoolOptions): Pool {
  const pool = openPool(options);
  if (options.endsWithCaller === true)
    endWithCaller(pool, openPool({ ...options, applicationName: `${options.applicationName}-canceller`, max: CANCELLERS_MAX }));
  return pool;
}

function openPool(options: PoolOptions): Pool {
  const { url, logger, applicationName, max = 5, connectTimeoutMs = 5_000, statementTimeoutMs = 10_000 } = options;
  const pool = new Pool({
    Client: RequestClient,
    connectionString: url,
    application_name: applicationName,
    max,
    connectionTimeoutMillis: connectTimeoutMs,
    // Kept open while idle: opening one takes longer than a read may.
    idleTimeoutMillis: 0,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: statementTimeoutMs * 3,
    keepAlive: true,
  });
  pool.on('error', (error) => logger.warn({ err: error }, 'an idle database connection broke'));
  // A server that ends a connection in the very message that opened it is heard before whoever asked for the connection has it: without
  // a listener that would end the process. What was asked of the connection fails by itself.
  pool.on('connect', (client) => client.on('error', (error: Error) => logger.debug({ err: error }, 'a database connection broke')));
  return pool;
}

/** Round trip of the simplest statement, milliseconds; rejects when the database cannot be reached. */
export async function pingPostgres(pool: Pool): Promise<number> {
  const startedMs = performance.now();
  await pool.query('SELECT 1');
  return performance.now() - startedMs;
}

/** Statements that undo the work of a caller who has left. */
const UNDOES = 'ROLLBACK';

/**
 * Makes queries of a pool end with the request being served: waits for a connection end, a running statement is cancelled in the
 * database, and none begins. Queries outside a request, or in one without a signal, run to their end.
 */
function endWithCaller(pool: Pool, canceller: Pool): void {
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

type Callback = (error: unknown, result: QueryResult) => void;

/** A connection whose statements fail with INVALID_ARGUMENT if the database rejects a value: that is a fault of the request. */
class RequestClient extends Client {
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
