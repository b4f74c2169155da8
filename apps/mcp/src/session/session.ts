import { ForbiddenError, MarketState } from '@market-state/client';
import { readText } from './read-text';
import { parseKey } from '@market-state/credentials';

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
