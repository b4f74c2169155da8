import { ForbiddenError, MarketState, type Answer, type CallOptions, type OperationId, TransportError } from '@market-state/client';
import { parseKey } from '@market-state/credentials';
import { timeLimit } from '@market-state/lifecycle';

const TIMEOUT_MS = 10_000;
/** The longest page has 60 kB. */
const BYTES_MAX = 1_000_000;

/** Null if not found. @throws {TransportError} unless complete, in time and within the limit */
async function readText(send: typeof fetch, address: string, signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await send(address, { signal: AbortSignal.any([signal, timeLimit(TIMEOUT_MS)]), redirect: 'error' });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return await withinBound(answer);
  } catch (error) {
    throw new TransportError(`The page could not be fetched: ${error instanceof Error ? error.message : String(error)}`, '', 1, error);
  }
}

async function withinBound(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > BYTES_MAX) throw new Error(`longer than ${BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

export interface Cost {
  readonly charged: number;
  /** Left of the process's ceiling, else of the key's ceiling or balance; null if no call reported it. */
  readonly ceiling_left: number | null;
  /** Last metered call. */
  readonly receipt_id: string | null;
}

type Call<K extends OperationId> = (ms: MarketState, options: CallOptions) => Promise<Answer<K>>;

export interface Run {
  readonly session: Session;
  readonly signal: AbortSignal;
  ask<K extends OperationId>(call: Call<K>): Promise<Answer<K>['data']>;
  cost(): Cost;
  /** Last answered call, else the session's own. */
  requestId(): string;
}

export function startRun(session: Session, signal: AbortSignal): Run {
  let charged = 0;
  let remaining: number | null = null;
  let receiptId: string | null = null;
  let lastId: string | undefined;
  return {
    session,
    signal,
    async ask(call) {
      const { data, call: facts } = await call(session.ms, { signal });
      charged += facts.charged ?? 0;
      // Concurrent calls may report in any order.
      if (facts.remaining !== null) remaining = Math.min(remaining ?? facts.remaining, facts.remaining);
      receiptId = facts.receiptId ?? receiptId;
      lastId = facts.requestId;
      return data;
    },
    cost: () => ({ charged, ceiling_left: session.ms.budgetLeft ?? remaining, receipt_id: receiptId }),
    requestId: () => lastId ?? session.requestId(),
  };
}

export interface Caller {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Default `fetch`. */
  readonly send?: typeof fetch;
  /** Total; default the key's own ceiling. */
  readonly maxCredits?: number;
  /** Also requires a key with that scope. */
  readonly allowExports: boolean;
  readonly requestId: () => string;
}

export interface Session {
  /** All calls share the ceiling. */
  readonly ms: MarketState;
  /** For export credits, which that ceiling does not limit. */
  readonly orders: MarketState;
  readonly requestId: () => string;
  /** Age of the newest visible data. */
  readonly delayMs: number;
  /**
   * Text outside the API, such as documentation; null if not found.
   * @throws {TransportError}
   */
  readText(path: string, signal: AbortSignal): Promise<string | null>;
  /** Queried once. */
  mayExport(): Promise<boolean>;
}

/** Sandbox keys see data that is 600 s old. */
const SANDBOX_DELAY_MS = 600_000;

export function openSession({ baseUrl, apiKey, send = fetch, maxCredits, allowExports, requestId }: Caller): Session {
  const orders = new MarketState({ baseUrl, apiKey, fetch: send });
  let allowed: Promise<boolean> | undefined;
  return {
    ms: maxCredits === undefined ? orders : orders.withBudget(maxCredits),
    orders,
    requestId,
    readText: (path, signal) => readText(send, `${baseUrl}${path}`, signal),
    delayMs: parseKey(apiKey) === 'test' ? SANDBOX_DELAY_MS : 0,
    mayExport() {
      if (!allowExports) return Promise.resolve(false);
      allowed ??= mayListJobs(orders).catch((error: unknown) => {
        allowed = undefined;
        throw error;
      });
      return allowed;
    },
  };
}

async function mayListJobs(ms: MarketState): Promise<boolean> {
  try {
    await ms.exports.list({ limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof ForbiddenError) return false;
    throw error;
  }
}
