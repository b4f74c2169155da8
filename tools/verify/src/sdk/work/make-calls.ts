import { BudgetError, type CallFacts, MarketState, ProblemError, TransportError } from '@market-state/client';
import { atOnce, createRandom, oneOf } from '@market-state/testing/pure';
import { type Access, TIMEOUT_MS } from './access';

/** Calls under way at once. */
export const WORKERS = 12;
const SAY_EVERY = 1_000;
const SYMBOL = 'BTCUSD-PERP';

/** What to call, and how often. */
export interface CallOrder {
  readonly access: Access;
  /** Of another tenant, whose calls are one worker's and have so many credits together. */
  readonly limited: { readonly apiKey: string; readonly budget: number };
  readonly seed: number;
  readonly total: number;
}

/** What became of a call: `unsent` had no budget left, `unhandled` threw what no caller expects. What is not known of it is null. */
export interface CallOutcome {
  readonly kind: 'answered' | 'refused' | 'lost' | 'unsent' | 'unhandled';
  readonly isLimited: boolean;
  readonly requestId: string | null;
  readonly attempts: number | null;
  readonly charged: number | null;
  readonly status: number | null;
  readonly message: string | null;
}

/** The calls that are drawn from, of every price and of none. */
const CALLS: readonly [Draw, ...Draw[]] = [
  (ms) => ms.latest.get({ symbol: SYMBOL, view: 'compact' }),
  (ms) => ms.latest.get({ symbol: SYMBOL }),
  (ms) => ms.trades.latest({ symbol: SYMBOL, limit: 300 }),
  (ms) => ms.book.latest({ symbol: SYMBOL, depth: 20 }),
  (ms) => ms.history.get({ symbol: SYMBOL, limit: 30 }),
  (ms) => ms.data.freshness({ symbol: SYMBOL }),
  (ms) => ms.trades.latest({ symbol: SYMBOL, limit: 0 }),
];

type Draw = (ms: MarketState) => Promise<{ readonly call: CallFacts }>;

/** Makes drawn calls, several at once. */
export async function makeCalls({ access, limited, seed, total }: CallOrder, say: (line: string) => void): Promise<CallOutcome[]> {
  const random = createRandom(seed);
  const clientOf = (apiKey: string): MarketState => new MarketState({ baseUrl: access.baseUrl, apiKey, timeoutMs: TIMEOUT_MS, random });
  const [ms, within] = [clientOf(access.apiKey), clientOf(limited.apiKey).withBudget(limited.budget)];
  const outcomes: CallOutcome[] = [];
  let made = 0;
  await atOnce(WORKERS, async (worker) => {
    while (made < total) {
      made += 1;
      if (made % SAY_EVERY === 0) say(`${made} of ${total} calls`);
      const isLimited = worker === 0;
      outcomes.push({ ...NOTHING_KNOWN, isLimited, ...(await outcomeOf(oneOf(CALLS, random)(isLimited ? within : ms))) });
    }
  });
  return outcomes;
}

const NOTHING_KNOWN = { requestId: null, attempts: null, charged: null, status: null, message: null } as const;

async function outcomeOf(call: ReturnType<Draw>): Promise<Pick<CallOutcome, 'kind'> & Partial<CallOutcome>> {
  try {
    const { requestId, attempts, charged, status } = (await call).call;
    return { kind: 'answered', requestId, attempts, charged, status };
  } catch (error) {
    const message = String(error);
    if (error instanceof ProblemError)
      return { kind: 'refused', requestId: error.requestId, attempts: error.attempts, status: error.status, message };
    if (error instanceof TransportError) return { kind: 'lost', requestId: error.requestId, attempts: error.attempts, message };
    return { kind: error instanceof BudgetError ? 'unsent' : 'unhandled', message };
  }
}
