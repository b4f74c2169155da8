import { ForbiddenError, MarketState, type Answer, type CallOptions, type OperationId, TransportError } from '@market-state/client';
import { parseKey } from '@market-state/credentials';
import { timeLimit } from '@market-state/lifecycle';

const TIMEOUT_MS = 10_000;
/** The longest page has 60 kB. */
const BYTES_MAX = 1_000_000;

/** A text at an address; null where nothing is there. @throws TransportError when it does not come whole, in time and within its bound */
async function readText(send: typeof fetch, address: string, signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await send(address, { signal: AbortSignal.any([signal, timeLimit(TIMEOUT_MS)]), redirect: 'error' });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(`It answers ${answer.status}.`);
    return await withinBound(answer);
  } catch (error) {
    throw new TransportError(`The page did not come: ${error instanceof Error ? error.message : String(error)}`, '', 1, error);
  }
}

async function withinBound(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > BYTES_MAX) throw new Error(`It is longer than ${BYTES_MAX} bytes.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** What a tool's calls have cost. */
export interface Cost {
  readonly charged: number;
  /** Credits that may still be spent: of the process's ceiling, else of the key's ceiling or balance; null where no call told it. */
  readonly ceiling_left: number | null;
  /** Of the last call that was metered. */
  readonly receipt_id: string | null;
}

type Call<K extends OperationId> = (ms: MarketState, options: CallOptions) => Promise<Answer<K>>;

/** One call of a tool. */
export interface Run {
  readonly session: Session;
  readonly signal: AbortSignal;
  /** Makes a call, counts what it costs, and gives its body. */
  ask<K extends OperationId>(call: Call<K>): Promise<Answer<K>['data']>;
  cost(): Cost;
  /** Of the last call that was answered, else the session's own. */
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
      // Of calls at once, the one that saw the most spent.
      if (facts.remaining !== null) remaining = Math.min(remaining ?? facts.remaining, facts.remaining);
      receiptId = facts.receiptId ?? receiptId;
      lastId = facts.requestId;
      return data;
    },
    cost: () => ({ charged, ceiling_left: session.ms.budgetLeft ?? remaining, receipt_id: receiptId }),
    requestId: () => lastId ?? session.requestId(),
  };
}

/** Who calls, and what the calls made for it may cost. */
export interface Caller {
  /** Address of the service, without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Sends the calls; default `fetch`. */
  readonly send?: typeof fetch;
  /** Credits that all calls together may cost; absent: what the key's own ceiling allows. */
  readonly maxCredits?: number;
  /** Whether the tool that orders exports is offered, if the key may order them. */
  readonly allowExports: boolean;
  /** The id that a fault is told with where no call of the service has one. */
  readonly requestId: () => string;
}

/** The service as one caller may use it. */
export interface Session {
  /** Its calls share the ceiling. */
  readonly ms: MarketState;
  /** For what costs export credits, which no ceiling of market-state credits bounds. */
  readonly orders: MarketState;
  readonly requestId: () => string;
  /** How old the newest data is that the key may see, milliseconds. */
  readonly delayMs: number;
  /**
   * A text that the service serves beside its API, such as a page of the documentation; null where there is none.
   * @throws TransportError when it does not come
   */
  readText(path: string, signal: AbortSignal): Promise<string | null>;
  /** Whether exports may be ordered: asked of the service once. */
  mayExport(): Promise<boolean>;
}

/** Sandbox keys see what is 600 s old. */
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
