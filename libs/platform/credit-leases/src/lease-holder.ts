import { toServiceError } from '@market-state/errors';
import { within } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { ChargeGroup, Refusals, RefusedReason } from './credit-calls';
import type { CreditLink } from './credit-link';
import { type Lease, openLease, type UnacknowledgedCharges } from './lease';

const TAKE_DEADLINE_MS = 2_000;
const NEXT_BEFORE_MS = 20_000;
const LEASE_SECONDS = 10;
/** Remaining duration that triggers the next lease. */
const LOW_SECONDS = 3;
/** For an unknown rate. */
const WANTED_MIN = 5;
const WANTED_MAX = 100_000;
/** After a recall or a small grant, only the necessary credits are requested. */
const SCARCE_MS = 5_000;
const AHEAD_EVERY_MS = 500;
const IDLE_MS = 60_000;
/** Time to return own leases before a refusal is final. */
const OWN_RETURN_MS = 1_000;
/** Maximum wait of a receipts reader. */
const POSTED_MS_MAX = 1_000;

export interface LeaseHolder {
  /** Synchronous `hold`; null if that needs account. */
  holdNow(credits: number): Lease | null;
  /** Leases from account if necessary; throws the process's `Refusals`. */
  hold(credits: number): Promise<Lease>;
  /** Last reported balance plus the unused part of local leases. */
  remaining(): number;
  unused(): number;
  giveBack(): void;
  /** Maintains aging leases. True if nothing is leased and no call came for a minute. */
  tend(): boolean;
  /** Resolves when account has the local charges, after a second at most. */
  posted(): Promise<void>;
  /** Local charges that account has not acknowledged. */
  unacknowledged(): readonly UnacknowledgedCharges[];
  settled(): Promise<void>;
}

export interface LeaseHolderDeps<Refusal> {
  readonly tenantId: string;
  readonly keyId: string | undefined;
  readonly gatewayId: string;
  readonly link: CreditLink<Refusal>;
  readonly refusals: Refusals<Refusal>;
  readonly logger: Logger;
  /** Monotonic; the only clock that measures leases. */
  readonly monotonicMs: () => number;
  readonly onPosted: (charges: readonly ChargeGroup[]) => void;
  readonly onLease: (lease: Lease) => void;
  readonly onDirty: (lease: Lease) => void;
  readonly onDone: (lease: Lease, lost: number) => void;
  readonly onRefused: (reason: RefusedReason, calls: number) => void;
}

interface Waiting {
  readonly credits: number;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (reason: unknown) => void;
}

export function createLeaseHolder<Refusal extends object>(deps: LeaseHolderDeps<Refusal>): LeaseHolder {
  const { tenantId, keyId, gatewayId, link, refusals, logger, monotonicMs } = deps;
  const rate = createSpendRate(monotonicMs());
  const leases = new Set<Lease>();
  let current: Lease | null = null;
  let waiting: Waiting[] = [];
  let available = 0;
  let availableCall = 0;
  let calls = 0;
  let serving = false;
  let served = Promise.resolve();
  let takingAhead: Promise<void> | null = null;
  /** Leases requested before the latest one are returned on arrival, after the calls that wait for them. */
  let giveBacks = 0;
  let aheadAfterMs = 0;
  let scarceUntilMs = 0;
  let usedMs = monotonicMs();

  function wanted(needed: number): number {
    if (monotonicMs() < scarceUntilMs) return Math.max(1, needed);
    const queued = waiting.reduce((sum, { credits }) => sum + credits, 0);
    return Math.min(WANTED_MAX, Math.max(needed + WANTED_MIN, queued, Math.ceil(rate.perSecond(monotonicMs()) * LEASE_SECONDS)));
  }

  const nextCall = (): number => ++calls;

  function noteAvailable(reported: number, call: number): void {
    if (call < availableCall) return;
    available = reported;
    availableCall = call;
  }

  /** Account's last reported balance excludes the lease: it was not being returned. */
  function isCounted(lease: Lease): boolean {
    const endCall = lease.endCall();
    return endCall === null || endCall > availableCall;
  }

  function unused(): number {
    let credits = 0;
    for (const lease of leases) if (isCounted(lease)) credits += lease.unspent();
    return credits;
  }

  async function take(needed: number): Promise<Lease | { readonly refusal: Refusal }> {
    const amount = wanted(needed);
    const call = nextCall();
    const requestedAtMs = monotonicMs();
    const answer = await link.takeLease({ tenantId, gatewayId, needed, wanted: amount, keyId }, TAKE_DEADLINE_MS);
    if (answer.lease === undefined) {
      if (answer.refusal === undefined) throw new Error('account returned neither a lease nor a refusal');
      return { refusal: answer.refusal };
    }
    noteAvailable(answer.lease.available, call);
    if (answer.lease.amount < amount) scarceUntilMs = monotonicMs() + SCARCE_MS;
    const lease = openLease(
      {
        link,
        monotonicMs,
        lifeMs: answer.lease.lifeMs - (monotonicMs() - requestedAtMs),
        nextCall,
        onPosted(reported, at, charges) {
          noteAvailable(reported, at);
          deps.onPosted(charges);
        },
        onDirty: deps.onDirty,
        onDone(ended, givenBack, lost, error) {
          if (isCounted(ended)) available += givenBack;
          leases.delete(ended);
          if (current === ended) current = null;
          if (error !== null)
            logger.error(
              { tenant_id: tenantId, lease_id: ended.id, reason: error.reason, charges_lost: lost, err: error },
              'a credit lease ended out of order',
            );
          deps.onDone(ended, lost);
        },
      },
      answer.lease,
    );
    leases.add(lease);
    deps.onLease(lease);
    return lease;
  }

  function install(lease: Lease): void {
    const before = current;
    current = lease;
    before?.retire();
  }

  function retireAll(): void {
    for (const lease of leases) lease.retire();
    current = null;
  }

  function holdNow(credits: number): Lease | null {
    const lease = current;
    if (lease === null || waiting.length > 0 || lease.left() < credits) return null;
    if (lease.perCallCeiling !== null && credits > lease.perCallCeiling) return null;
    // Read once: the clock costs more than the rest.
    const nowMs = monotonicMs();
    if (!lease.isUsable(nowMs)) return null;
    lease.hold(credits);
    usedMs = nowMs;
    rate.add(credits, nowMs);
    takeAheadIfDue(lease, nowMs);
    return lease;
  }

  /** A refusal in advance is ignored. */
  function takeAheadIfDue(lease: Lease, nowMs: number): void {
    if (takingAhead !== null || serving || nowMs < aheadAfterMs) return;
    const old = !lease.endsAtReset && lease.lifeLeftMs(nowMs) < NEXT_BEFORE_MS;
    const low = lease.left() < lease.amount / 2 && nowMs >= scarceUntilMs && lease.left() < rate.perSecond(nowMs) * LOW_SECONDS;
    if (!old && !low) return;
    aheadAfterMs = nowMs + AHEAD_EVERY_MS;
    const before = giveBacks;
    link.outside(() => {
      takingAhead = take(0)
        .then((next) => {
          if (!('id' in next)) return;
          if (before === giveBacks && (old || next.left() > lease.left())) install(next);
          else next.retire();
        })
        .catch((error: unknown) => logger.warn({ tenant_id: tenantId, err: error }, 'the next credit lease cannot be taken yet'))
        .finally(() => {
          takingAhead = null;
        });
    });
  }

  /** They may hold the missing credits. True if any had some. */
  async function ownLeasesReturned(): Promise<boolean> {
    const own = [...leases].filter((lease) => lease.unspent() > 0);
    if (own.length === 0) return false;
    for (const lease of own) lease.retire();
    await within(OWN_RETURN_MS, Promise.all(own.map(({ done }) => done)));
    return own.some((lease) => !leases.has(lease));
  }

  /** False if the lease has too few credits. */
  function serveFirst(first: Waiting): boolean {
    const lease = current;
    if (lease === null || !lease.isUsable(monotonicMs())) return false;
    if (lease.perCallCeiling !== null && first.credits > lease.perCallCeiling) {
      first.reject(refusals.callTooDear(first.credits, lease.perCallCeiling));
      deps.onRefused('call_ceiling', 1);
    } else if (lease.left() < first.credits) return false;
    else {
      lease.hold(first.credits);
      rate.add(first.credits, monotonicMs());
      first.resolve(lease);
    }
    waiting.shift();
    return true;
  }

  async function takeFor(first: Waiting): Promise<void> {
    const waitingTotal = waiting.length;
    let answer = await take(first.credits);
    if (!('id' in answer) && (await ownLeasesReturned())) answer = await take(first.credits);
    // It ended at a reset on its way here: the next lease counts after it.
    if ('id' in answer && answer.endsAtReset && !answer.isUsable(monotonicMs())) {
      answer.retire();
      answer = await take(first.credits);
    }
    if ('id' in answer) {
      if (!answer.isUsable(monotonicMs())) throw new Error('account returned an expired lease');
      install(answer);
      return;
    }
    const among = new Set(waiting.slice(0, waitingTotal));
    const refused = [...among].filter(({ credits }) => credits >= first.credits);
    for (const entry of refused) entry.reject(refusals.creditsRefused(answer.refusal, entry.credits));
    deps.onRefused('credits', refused.length);
    waiting = waiting.filter((entry) => !among.has(entry) || entry.credits < first.credits);
  }

  async function serveWaiting(): Promise<void> {
    serving = true;
    const before = giveBacks;
    try {
      for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
        if (serveFirst(first)) continue;
        if (current?.isBehind(monotonicMs()) === true) throw refusals.meteringUnavailable();
        await takeFor(first);
      }
    } catch (thrown) {
      const error = toServiceError(thrown);
      logger.error({ tenant_id: tenantId, reason: error.reason, err: thrown }, 'no credit lease is available');
      const unserved = waiting.splice(0);
      for (const { reject } of unserved) reject(refusals.meteringUnavailable(error));
      deps.onRefused('unavailable', unserved.length);
    } finally {
      serving = false;
      if (before !== giveBacks) retireAll();
    }
  }

  return {
    holdNow,
    hold(credits) {
      usedMs = monotonicMs();
      const lease = holdNow(credits);
      if (lease !== null) return Promise.resolve(lease);
      return new Promise((resolve, reject) => {
        waiting.push({ credits, resolve, reject });
        if (!serving) link.outside(() => void (served = serveWaiting()));
      });
    },
    remaining: () => available + unused(),
    unused,
    giveBack() {
      scarceUntilMs = monotonicMs() + SCARCE_MS;
      giveBacks += 1;
      retireAll();
    },
    tend() {
      const nowMs = monotonicMs();
      const isIdle = nowMs - usedMs >= IDLE_MS;
      for (const lease of leases) if (isIdle || (!lease.isUsable(nowMs) && !lease.isBehind(nowMs))) lease.retire();
      return isIdle && leases.size === 0 && waiting.length === 0;
    },
    async posted() {
      await within(POSTED_MS_MAX, Promise.all([...leases].map((lease) => lease.posted())));
    },
    unacknowledged: () => [...leases].flatMap((lease) => lease.unacknowledged()),
    async settled() {
      await Promise.all([served, takingAhead]);
      await Promise.all([...leases].map(({ done }) => done));
    },
  };
}

const SECONDS_KEPT = 5;

/** Times are of the monotonic clock. */
interface SpendRate {
  add(credits: number, nowMs: number): void;
  /** Maximum of the last five seconds. */
  perSecond(nowMs: number): number;
}

function createSpendRate(startMs: number): SpendRate {
  const totals = new Array<number>(SECONDS_KEPT).fill(0);
  let second = Math.floor(startMs / 1_000);

  function roll(nowMs: number): void {
    const now = Math.floor(nowMs / 1_000);
    if (now === second) return;
    for (let passed = Math.min(now - second, SECONDS_KEPT); passed > 0; passed -= 1) totals[(now - passed + 1) % SECONDS_KEPT] = 0;
    second = now;
  }

  return {
    add(credits, nowMs) {
      roll(nowMs);
      totals[second % SECONDS_KEPT] = (totals[second % SECONDS_KEPT] ?? 0) + credits;
    },
    perSecond(nowMs) {
      roll(nowMs);
      return Math.max(...totals);
    },
  };
}
