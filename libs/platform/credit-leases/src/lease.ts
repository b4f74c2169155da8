import { type ServiceError, toServiceError } from '@market-state/errors';
import { backoffMs, delay } from '@market-state/lifecycle';
import { createChargeGroups, creditsOf, totalOf } from './charge-groups';
import type { ChargeGroup, GrantedLease, PostedBatch, Charge } from './credit-calls';
import { CHARGES_MAX, type CreditLink, type GroupedBatch } from './credit-link';

/** Per attempt. */
const END_DEADLINE_MS = 2_000;
/** Then the lease takes no more calls. */
const UNACKNOWLEDGED_MS_MAX = 5_000;
/** Not used, unless the lease ends at a reset. */
const REST_MS = 10_000;
const LIFE_MS_MAX = 60_000;
/** Account still accepts batches after expiry. */
const GRACE_MS = 30_000;
const END_TRIES = 3;

/** Block of credits that this process may charge. Times are of the monotonic clock. */
export interface Lease {
  readonly id: string;
  readonly amount: number;
  /** Null without a limit. */
  readonly perCallCeiling: number | null;
  readonly endsAtReset: boolean;
  /** Neither charged nor reserved. */
  left(): number;
  /** Not charged. */
  unspent(): number;
  /** Sequence number; null until sent. */
  endCall(): number | null;
  isUsable(nowMs: number): boolean;
  /** Account has not acknowledged a batch for too long. */
  isBehind(nowMs: number): boolean;
  lifeLeftMs(nowMs: number): number;
  isRetiring(): boolean;
  hasHolds(): boolean;
  /** The caller has checked `left`. */
  hold(credits: number): void;
  /** Frees the rest. If the lease is over, the charge is forgiven. */
  settle(held: number, charge: Charge): void;
  cancel(held: number): void;
  /** Returns the rest once running calls are done and everything is posted. */
  retire(): void;
  /** Long-running work should then settle. Returns the unsubscribe function. */
  onRetire(listener: () => void): () => void;
  flush(): void;
  /** All charges so far are posted, or the lease is over. A batch that waits behind others' batches is sent again by itself. */
  posted(): Promise<void>;
  /** Charges that account has not acknowledged, by batch; it may have posted them. */
  unacknowledged(): readonly UnacknowledgedCharges[];
  /** Returned or over. */
  readonly done: Promise<void>;
}

export interface UnacknowledgedCharges {
  leaseId: string;
  batch: number;
  /** Market-state credits. */
  credits: number;
}

export interface LeaseDeps {
  readonly link: Pick<CreditLink<unknown>, 'postCharges' | 'endLease' | 'outside' | 'isClosed'>;
  readonly monotonicMs: () => number;
  /** Until account's expiry at the earliest. */
  readonly lifeMs: number;
  /** Numbers a tenant's calls in sending order. */
  readonly nextCall: () => number;
  /** `available` excludes the lease. */
  readonly onPosted: (available: number, call: number, charges: readonly ChargeGroup[]) => void;
  readonly onDirty: (lease: Lease) => void;
  /** `givenBack` was returned, `lost` is the number of charges that account refused. */
  readonly onDone: (lease: Lease, givenBack: number, lost: number, error: ServiceError | null) => void;
}

function isFinal({ code }: ServiceError): boolean {
  return code === 'FAILED_PRECONDITION' || code === 'INVALID_ARGUMENT' || code === 'NOT_FOUND';
}

export function openLease(deps: LeaseDeps, granted: GrantedLease): Lease {
  const { link, monotonicMs } = deps;
  const expiresMs = monotonicMs() + Math.min(deps.lifeMs, LIFE_MS_MAX);
  const listeners = new Set<() => void>();
  let charged = 0;
  let held = 0;
  let holdTotal = 0;
  const pending = createChargeGroups();
  let batch = 1;
  let posting: readonly ChargeGroup[] = [];
  let postingSinceMs: number | null = null;
  let hasten: () => void = () => undefined;
  let retiring = false;
  let over = false;
  let ending = false;
  let endCall: number | null = null;
  let waiters: { readonly throughBatch: number; readonly resolve: () => void }[] = [];
  let resolveDone: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    resolveDone = resolve;
  });

  function isBehind(nowMs: number): boolean {
    return postingSinceMs !== null && nowMs - postingSinceMs > UNACKNOWLEDGED_MS_MAX;
  }

  function notifyPosted(): void {
    const isDone = ({ throughBatch }: (typeof waiters)[number]): boolean => over || throughBatch < batch;
    const posted = waiters.filter(isDone);
    waiters = waiters.filter((waiter) => !isDone(waiter));
    for (const { resolve } of posted) resolve();
  }

  function finish(givenBack: number, lost: number, error: ServiceError | null): void {
    if (over) return;
    over = true;
    retiring = true;
    pending.take(pending.total());
    notifyPosted();
    deps.onDone(lease, givenBack, lost, error);
    resolveDone();
  }

  /** Sent with the batches of other leases, and once more by itself if `hasten` is called: account posts it once. */
  function send(order: GroupedBatch): Promise<PostedBatch> {
    return new Promise((resolve, reject) => {
      hasten = () => {
        hasten = () => undefined;
        link.outside(() => void link.postCharges(order).then(resolve, () => undefined));
      };
      link.postCharges(order).then(resolve, reject);
    });
  }

  async function post(groups: ChargeGroup[]): Promise<void> {
    for (let attempt = 0; !over; attempt += 1) {
      const call = deps.nextCall();
      try {
        const { available } = await send({ leaseId: granted.leaseId, batch, groups });
        batch += 1;
        posting = [];
        postingSinceMs = null;
        deps.onPosted(available, call, groups);
        return;
      } catch (thrown) {
        const error = toServiceError(thrown);
        if (isFinal(error) || link.isClosed() || monotonicMs() > expiresMs + GRACE_MS) {
          finish(0, totalOf(groups) + pending.total(), error);
          return;
        }
        await delay(backoffMs(attempt, { minMs: 50, maxMs: 500 }));
      }
    }
  }

  async function end(): Promise<void> {
    const left = granted.amount - charged;
    for (let attempt = 0; attempt < END_TRIES; attempt += 1) {
      try {
        await link.endLease(granted.leaseId, END_DEADLINE_MS, () => {
          endCall ??= deps.nextCall();
        });
        finish(left, 0, null);
        return;
      } catch (thrown) {
        const error = toServiceError(thrown);
        if (isFinal(error) || attempt === END_TRIES - 1) {
          // Account reclaims it after expiry.
          finish(0, 0, error);
          return;
        }
        await delay(backoffMs(attempt, { minMs: 50, maxMs: 500 }));
      }
    }
  }

  function endIfDone(): void {
    if (!retiring || over || ending || holdTotal > 0 || pending.total() > 0 || postingSinceMs !== null) return;
    ending = true;
    link.outside(() => void end());
  }

  function flush(): void {
    if (postingSinceMs !== null || pending.total() === 0 || over) return;
    const groups = pending.take(CHARGES_MAX);
    posting = groups;
    postingSinceMs = monotonicMs();
    link.outside(
      () =>
        void post(groups).then(() => {
          notifyPosted();
          if (pending.total() === 0) endIfDone();
          else if (retiring || waiters.length > 0) flush();
          else deps.onDirty(lease);
        }),
    );
  }

  function release(credits: number): void {
    held -= credits;
    holdTotal -= 1;
    if (retiring) flush();
    endIfDone();
  }

  const lease: Lease = {
    id: granted.leaseId,
    amount: granted.amount,
    perCallCeiling: granted.perCallCeiling ?? null,
    endsAtReset: granted.endsAtReset,
    left: () => granted.amount - charged - held,
    unspent: () => (over ? 0 : granted.amount - charged),
    endCall: () => endCall,
    isUsable: (nowMs) => !retiring && nowMs < (granted.endsAtReset ? expiresMs : expiresMs - REST_MS) && !isBehind(nowMs),
    isBehind,
    lifeLeftMs: (nowMs) => expiresMs - nowMs,
    isRetiring: () => retiring,
    hasHolds: () => holdTotal > 0,
    hold(credits) {
      held += credits;
      holdTotal += 1;
    },
    settle(credits, charge) {
      charged += charge.priced?.observedMarketStateCredits ?? 0;
      if (!over) {
        pending.add(charge);
        deps.onDirty(lease);
      }
      release(credits);
    },
    cancel: release,
    retire() {
      if (retiring) return;
      retiring = true;
      for (const listener of [...listeners]) listener();
      flush();
      endIfDone();
    },
    onRetire(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    flush,
    posted() {
      if (over || (pending.total() === 0 && postingSinceMs === null)) return Promise.resolve();
      const batchTotal = Math.ceil(pending.total() / CHARGES_MAX) + (postingSinceMs === null ? 0 : 1);
      return new Promise((resolve) => {
        waiters.push({ throughBatch: batch + batchTotal - 1, resolve });
        if (postingSinceMs !== null) hasten();
        flush();
      });
    },
    unacknowledged() {
      const next = postingSinceMs === null ? batch : batch + 1;
      return [
        { leaseId: granted.leaseId, batch, credits: creditsOf(posting) },
        { leaseId: granted.leaseId, batch: next, credits: pending.credits() },
      ].filter(({ credits }) => credits > 0);
    },
    done,
  };
  return lease;
}
