import type { Lease, LeaseHolder } from '@market-state/credit-leases';
import { delay } from '@market-state/lifecycle';
import type { account } from '@market-state/contracts';
import { type CallPrice, streamCost } from '@market-state/pricing';
import { Problem } from '../errors/problem';

/** Most that a stream holds at once, credits. */
const HOLD_MAX = 20;
/** How often credits are asked for before the stream ends, and how long after one another. */
const HOLD_TRIES = 3;
const HOLD_AGAIN_MS = 500;

/** Why a stream may send no more. */
export type StreamStop = 'credits_exhausted' | 'metering_unavailable';

function isExhausted(thrown: unknown): boolean {
  return thrown instanceof Problem && thrown.status === 402;
}

/** Pays for the messages of one stream, before they are sent. */
export interface StreamMeter {
  /** Pays for so many further messages: null when they may be sent, else why not. Answers at once where it can. */
  pay(messages: number): null | Promise<StreamStop | null>;
  /** Charges what was sent and frees the rest. */
  end(): void;
}

export interface StreamMeterDeps {
  readonly price: CallPrice;
  /** The charge of a block of credits, of which so many were used. */
  readonly chargeOf: (credits: number, used: number) => account.Charge;
  readonly holder: LeaseHolder;
  /** Has the first credits held. */
  readonly lease: Lease;
  /** Most that the stream may cost; null without a bound. */
  readonly maxCredits: number | null;
  readonly onCharged: (credits: number) => void;
}

interface Block {
  readonly lease: Lease;
  readonly credits: number;
  /** Of these, begun. */
  readonly used: number;
  readonly stopWatching: () => void;
}

/**
 * A stream holds a few credits at a time and charges them once they are used, so that its lease can go back at any time:
 * a lease that retires gets what was used, and the next messages are held elsewhere. A plan with a flat cost pays once.
 */
export function createStreamMeter({ price, chargeOf, holder, lease: first, maxCredits: ownMax, onCharged }: StreamMeterDeps): StreamMeter {
  const maxCredits = Math.min(ownMax ?? Number.POSITIVE_INFINITY, first.perCallCeiling ?? Number.POSITIVE_INFINITY);
  let block: Block | null = null;
  let messageTotal = 0;
  /** Credits of blocks that were charged. */
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

  /** Credits begun by so many messages, in all. */
  function dueFor(total: number): number {
    return price.byMessages ? streamCost(total) : price.estimated;
  }

  /** What account does not answer is asked again: a moment without it ends no stream. Throws what the last try met. */
  async function holdPatiently(credits: number): Promise<Lease> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await holder.hold(credits);
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
      const lease = (wished > missing ? holder.holdNow(wished) : null) ?? null;
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
