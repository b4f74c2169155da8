import type { Lease, LeaseHolder } from '@market-state/credit-leases';
import { delay } from '@market-state/lifecycle';
import type { account } from '@market-state/contracts';
import { type CallPrice, streamCost } from '@market-state/pricing';
import { Problem } from '../errors/problem';

/** Credits reserved in advance. */
const HOLD_MAX = 20;
/** Retries before the stream ends. */
const HOLD_TRIES = 3;
const HOLD_AGAIN_MS = 500;

export type StreamStop = 'credits_exhausted' | 'metering_unavailable';

function isExhausted(thrown: unknown): boolean {
  return thrown instanceof Problem && thrown.status === 402;
}

export interface StreamMeter {
  /** Null if the messages may be sent. Synchronous where possible. */
  pay(messages: number): null | Promise<StreamStop | null>;
  end(): void;
}

export interface StreamMeterDeps {
  readonly price: CallPrice;
  /** Charge for a partly used block. */
  readonly chargeOf: (credits: number, used: number) => account.Charge;
  /** Called for each hold: the registry forgets the holder of an idle tenant and no longer returns its leases. */
  readonly holderNow: () => LeaseHolder;
  readonly lease: Lease;
  readonly maxCredits: number | null;
  readonly onCharged: (credits: number) => void;
}

interface Block {
  readonly lease: Lease;
  readonly credits: number;
  /** Partial credits included. */
  readonly used: number;
  readonly stopWatching: () => void;
}

/**
 * A few credits at a time: a retiring lease is charged the used part and returned, and the next credits come from
 * another. A flat cost is paid once.
 */
export function createStreamMeter({
  price,
  chargeOf,
  holderNow,
  lease: first,
  maxCredits: ownMax,
  onCharged,
}: StreamMeterDeps): StreamMeter {
  const maxCredits = Math.min(ownMax ?? Number.POSITIVE_INFINITY, first.perCallCeiling ?? Number.POSITIVE_INFINITY);
  let block: Block | null = null;
  let messageTotal = 0;
  let paid = 0;
  let charges = 0;
  let ended = false;

  function charge(): void {
    if (block === null) return;
    const { lease, credits, used, stopWatching } = block;
    block = null;
    stopWatching();
    if (used === 0 && charges > 0) {
      lease.cancel(credits);
      return;
    }
    charges += 1;
    paid += used;
    lease.settle(credits, chargeOf(credits, used));
    onCharged(used);
  }

  function begin(lease: Lease, credits: number, used: number): void {
    block = { lease, credits, used, stopWatching: lease.onRetire(charge) };
    if (lease.isRetiring()) charge();
  }

  /** Rounded up. */
  function dueFor(total: number): number {
    return price.byMessages ? streamCost(total) : price.estimated;
  }

  /** A short outage of account ends no stream. */
  async function holdPatiently(credits: number): Promise<Lease> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await holderNow().hold(credits);
      } catch (thrown) {
        if (ended || tries === HOLD_TRIES || isExhausted(thrown)) throw thrown;
        await delay(HOLD_AGAIN_MS);
      }
    }
  }

  async function holdMore(due: number): Promise<StreamStop | null> {
    const before = block?.credits ?? 0;
    charge();
    const missing = due - paid;
    const wished = Math.min(maxCredits - paid, Math.max(missing, Math.min(HOLD_MAX, before * 2)));
    try {
      const lease = wished > missing ? holderNow().holdNow(wished) : null;
      const held = lease === null ? missing : wished;
      const from = lease ?? (await holdPatiently(missing));
      if (ended) from.cancel(held);
      else begin(from, held, missing);
      return null;
    } catch (thrown) {
      return isExhausted(thrown) ? 'credits_exhausted' : 'metering_unavailable';
    }
  }

  begin(first, price.estimated, 0);

  return {
    pay(messages) {
      const due = messages === 0 ? 0 : dueFor(messageTotal + messages);
      if (due > maxCredits) return Promise.resolve('credits_exhausted');
      if (block !== null && due <= paid + block.credits) {
        block = { ...block, used: Math.max(block.used, due - paid) };
        messageTotal += messages;
        return null;
      }
      if (due <= paid) {
        messageTotal += messages;
        return null;
      }
      return holdMore(due).then((stop) => {
        if (stop === null) messageTotal += messages;
        return stop;
      });
    },
    end() {
      if (ended) return;
      ended = true;
      charge();
    },
  };
}
