import type { Answer, CallOptions, MarketState, OperationId } from '@market-state/client';
import type { Session } from './session';

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
