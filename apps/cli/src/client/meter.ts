import type { CallFacts, MarketState } from '@market-state/client';
import type { CliIo } from '../io/cli-io';
import { count, counted } from '../io/instant';

/** A receipt can be read within a second of its call. */
const RECEIPT_TRIES = 5;
const RECEIPT_WAIT_MS = 250;

/** What the calls of a command have cost. */
export interface Meter {
  onAnswer(call: CallFacts): void;
  /** The last line of a command that asked for something metered: what it cost, what is left, and the receipt of its last call. */
  line(ms: MarketState, maxCredits: number): Promise<string | undefined>;
}

export function createMeter({ signal }: Pick<CliIo, 'signal'>): Meter {
  let last: CallFacts | undefined;
  let isClosed = false;
  return {
    onAnswer(call) {
      if (!isClosed) last = call;
    },
    async line(ms, maxCredits) {
      if (last === undefined) return undefined;
      isClosed = true;
      const spent = maxCredits - (ms.budgetLeft ?? maxCredits);
      const { receipt, left } = await receiptOf(ms, last, signal);
      const parts = [`cost ${count(spent)} of ${count(maxCredits)} allowed`];
      if (left !== null) parts.push(`${count(left)} left`);
      return [...parts, receipt].join(', ');
    },
  };
}

/** The receipt of a call and the credits left after it; while there is none, the id by which it can be found. */
async function receiptOf(
  ms: MarketState,
  { requestId, remaining }: CallFacts,
  signal: AbortSignal,
): Promise<{ readonly receipt: string; readonly left: number | null }> {
  const unknown = { receipt: `request ${requestId}`, left: remaining };
  for (let tries = 1; tries <= RECEIPT_TRIES && !signal.aborted; tries += 1) {
    try {
      const { data, call } = await ms.usage.receipt({ request_id: requestId }, { signal });
      const { rows } = data;
      const more = rows.length > 1 ? ` and ${counted(rows.length - 1, 'more', 'more')}` : '';
      return { receipt: `receipt ${data.receipt_id}${more}`, left: call.remaining ?? remaining };
    } catch {
      await pause(tries < RECEIPT_TRIES ? RECEIPT_WAIT_MS : 0, signal);
    }
  }
  return unknown;
}

function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    signal.addEventListener('abort', end, { once: true });
  });
}
