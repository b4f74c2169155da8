import { currentRequestContext, type Logger } from '@market-state/logging';
import { Client, Pool, type PoolClient, type QueryResult } from 'pg';
import { isServerAnswer, toRequestError } from './errors';
import { columnTypes } from './text-arrays';

interface PoolOptions {
  readonly url: string;
  readonly logger: Logger;
  readonly applicationName: string;
  /** Default 5. */
  readonly max?: number;
  /** For getting a connection; default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Default 10,000. */
  readonly statementTimeoutMs?: number;
  /**
   * Cancels queries, also in the database, when the request that made them ends; default false. For services that only
   * read.
   */
  readonly endsWithCaller?: boolean;
}

const CANCELLERS_MAX = 2;

/** Open even if idle: opening one takes longer than a read may. Each costs the database 2.5 MB. */
const IDLE_CONNECTIONS = 2;
/** After this, connections beyond those are closed; a burst of calls reopens them. */
const IDLE_MS = 20_000;

/**
 * Creates a pool in which every wait is bounded. Connections that break while idle are replaced. Values that cannot be
 * stored, such as text with U+0000, fail with INVALID_ARGUMENT.
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
    min: Math.min(max, IDLE_CONNECTIONS),
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + 2_000,
    idle_in_transaction_session_timeout: statementTimeoutMs * 3,
    keepAlive: true,
    types: columnTypes,
  });
  pool.on('error', (error) => logger.warn({ err: error }, 'an idle database connection broke'));
  // The server can end a connection before the requester has it; without a listener, that error would crash the
  // process.
  pool.on('connect', (client) => client.on('error', (error: Error) => logger.debug({ err: error }, 'a database connection broke')));
  return pool;
}

/** Rejects if the database is unreachable. */
export async function pingPostgres(pool: Pool): Promise<number> {
  const startedMs = performance.now();
  await pool.query('SELECT 1');
  return performance.now() - startedMs;
}

/** Statements that remain allowed after the caller has left, to undo its work. */
const UNDOES = 'ROLLBACK';

/** Waiting stops, a running statement is cancelled, and no further one starts. */
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
      // The connection is reusable only if the server has answered or nothing was sent; otherwise a late response may
      // follow.
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

/** Rejects with the signal's reason on abort; a connection that arrives later is returned to the pool. */
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

/** Until the connection is released, an abort cancels its statement and prevents further ones. */
function bindTo(signal: AbortSignal, client: PoolClient, cancel: (processId: number) => Promise<unknown>): PoolClient {
  const { release } = client;
  const query = client.query.bind(client) as (...parts: unknown[]) => unknown;
  const bound = client as { query?: unknown; processID?: number };
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
    // The next user of the connection must not receive this cancellation.
    if (cancelling === undefined) release(broken);
    else void cancelling.then((isOver) => release(isOver ? broken : true));
  };
  return client;
}

type Callback = (error: unknown, result: QueryResult) => void;

class RequestClient extends Client {
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
