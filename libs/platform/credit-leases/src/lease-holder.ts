import { toServiceError } from '@market-state/errors';
import { within } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Charge, Refusals, RefusedReason } from './credit-calls';
import type { CreditLink } from './credit-link';
import { type Lease, openLease } from './lease';
import { createSpendRate } from './spend-rate';

const TAKE_DEADLINE_MS = 2_000;
/** The next lease is taken when the present one has less than this to live, milliseconds. */
const NEXT_BEFORE_MS = 20_000;
/** A lease is to last about so long at the tenant's rate, seconds. */
const LEASE_SECONDS = 10;
/** The next lease is taken when the present one lasts for less, seconds. */
const LOW_SECONDS = 3;
/** What a tenant whose rate is not known yet is given, credits. */
const WANTED_MIN = 5;
const WANTED_MAX = 100_000;
/** After a recall, or when little was given, only what is needed is wished for so long, milliseconds. */
const SCARCE_MS = 5_000;
/** Between tries to take a lease ahead of need, milliseconds. */
const AHEAD_EVERY_MS = 500;
/** A tenant that made no call for so long gives its lease back, milliseconds. */
const IDLE_MS = 60_000;
/** What own leases get to go back before a refusal is believed, milliseconds. */
const OWN_RETURN_MS = 1_000;
/** A reader of receipts waits so long for those of calls served here, milliseconds. */
const POSTED_MS_MAX = 1_000;

/** The leases of one tenant, or of one key with a ceiling, at this process. */
export interface LeaseHolder {
  /** Holds credits at once; null when that takes a call to account, or is refused. */
  holdNow(credits: number): Lease | null;
  /**
   * Holds credits, asking account for a lease where there is none.
   * Throws what the process made of it once account has refused, or when no lease can be had.
   */
  hold(credits: number): Promise<Lease>;
  /** Credits free in the ledger, as last told, and the unused part of the leases held here. */
  remaining(): number;
  /** Unused part of the leases held here. */
  unused(): number;
  /** Gives every lease back as soon as its calls are done. */
  giveBack(): void;
  /** Looks after leases that grow old and tenants that went away. True when nothing is held and nobody called for a minute. */
  tend(): boolean;
  /** Posts what was charged here and resolves when account has it, within a second at the latest. */
  posted(): Promise<void>;
  /** Resolves when no lease is held any more. */
  settled(): Promise<void>;
}

export interface LeaseHolderDeps<Refusal> {
  readonly tenantId: string;
  /** The key whose ceiling the leases count against; undefined: none. */
  readonly keyId: string | undefined;
  readonly gatewayId: string;
  readonly link: CreditLink<Refusal>;
  readonly refusals: Refusals<Refusal>;
  readonly logger: Logger;
  /** A clock that never goes backwards, milliseconds: the only one that a lease is measured by. */
  readonly monotonicMs: () => number;
  readonly onPosted: (charges: readonly Charge[]) => void;
  readonly onLease: (lease: Lease) => void;
  readonly onDirty: (lease: Lease) => void;
  readonly onDone: (lease: Lease, lost: readonly Charge[]) => void;
  /** So many calls that asked for credits get none, for one reason. */
  readonly onRefused: (reason: RefusedReason, calls: number) => void;
}

interface Waiting {
  readonly credits: number;
  readonly resolve: (lease: Lease) => void;
  readonly reject: (reason: unknown) => void;
}

export function createLeaseHolder<Refusal extends object>(deps: LeaseHolderDeps<Refusal>): LeaseHolder {
  const { tenantId, keyId, gatewayId, link, refusals, logger, monotonicMs } = deps;
  const rate = createSpendRate(monotonicMs);
  const leases = new Set<Lease>();
  let current: Lease | null = null;
  let waiting: Waiting[] = [];
  let available = 0;
  /** Number of the call that told so, of all calls. */
  let availableCall = 0;
  let calls = 0;
  let serving = false;
  let takingAhead = false;
  let aheadAfterMs = 0;
  let scarceUntilMs = 0;
  let usedMs = monotonicMs();

  function wanted(needed: number): number {
    if (monotonicMs() < scarceUntilMs) return Math.max(1, needed);
    const queued = waiting.reduce((sum, { credits }) => sum + credits, 0);
    return Math.min(WANTED_MAX, Math.max(needed + WANTED_MIN, queued, Math.ceil(rate.perSecond() * LEASE_SECONDS)));
  }

  function nextCall(): number {
    calls += 1;
    return calls;
  }

  function noteAvailable(told: number, call: number): void {
    if (call < availableCall) return;
    available = told;
    availableCall = call;
  }

  /** Whether a lease is not among what account last called available: it was not on its way back when account was asked. */
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
    const asked = wanted(needed);
    const call = nextCall();
    const askedMs = monotonicMs();
    const answer = await link.takeLease({ tenantId, gatewayId, needed, wanted: asked, keyId }, TAKE_DEADLINE_MS);
    if (answer.lease === undefined) {
      if (answer.refusal === undefined) throw new Error('account answered neither a lease nor a refusal');
      return { refusal: answer.refusal };
    }
    noteAvailable(answer.lease.available, call);
    if (answer.lease.amount < asked) scarceUntilMs = monotonicMs() + SCARCE_MS;
    const lease = openLease(
      {
        link,
        monotonicMs,
        lifeMs: answer.lease.lifeMs - (monotonicMs() - askedMs),
        nextCall,
        onPosted(told, at, charges) {
          noteAvailable(told, at);
          deps.onPosted(charges);
        },
        onDirty: deps.onDirty,
        onDone(ended, givenBack, lost, error) {
          if (isCounted(ended)) available += givenBack;
          leases.delete(ended);
          if (current === ended) current = null;
          if (error !== null)
            logger.error(
              { tenant_id: tenantId, lease_id: ended.id, reason: error.reason, charges_lost: lost.length, err: error },
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

  function holdNow(credits: number): Lease | null {
    const lease = current;
    if (lease === null || waiting.length > 0 || !lease.isUsable() || lease.left() < credits) return null;
    if (lease.perCallCeiling !== null && credits > lease.perCallCeiling) return null;
    lease.hold(credits);
    usedMs = monotonicMs();
    rate.add(credits);
    takeAheadIfDue(lease);
    return lease;
  }

  /** The next lease is there before the present one is old or used up. A refusal ahead of need means nothing. */
  function takeAheadIfDue(lease: Lease): void {
    if (takingAhead || serving || monotonicMs() < aheadAfterMs) return;
    const old = !lease.endsAtReset && lease.lifeLeftMs() < NEXT_BEFORE_MS;
    const low = lease.left() < rate.perSecond() * LOW_SECONDS && lease.left() < lease.amount / 2 && monotonicMs() >= scarceUntilMs;
    if (!old && !low) return;
    takingAhead = true;
    aheadAfterMs = monotonicMs() + AHEAD_EVERY_MS;
    link.outside(() => {
      take(0)
        .then((next) => {
          if (!('id' in next)) return;
          if (old || next.left() > lease.left()) install(next);
          else next.retire();
        })
        .catch((error: unknown) => logger.warn({ tenant_id: tenantId, err: error }, 'the next credit lease cannot be taken yet'))
        .finally(() => {
          takingAhead = false;
        });
    });
  }

  /** Own leases may hold what account then lacks: they go back before a refusal is believed. True when any did. */
  async function ownLeasesReturned(): Promise<boolean> {
    const own = [...leases].filter((lease) => lease.unspent() > 0);
    if (own.length === 0) return false;
    for (const lease of own) lease.retire();
    await within(OWN_RETURN_MS, Promise.all(own.map(({ done }) => done)));
    return own.some((lease) => !leases.has(lease));
  }

  /** Serves the first that waits from the present lease; false when it has not enough. */
  function serveFirst(first: Waiting): boolean {
    const lease = current;
    if (lease === null || !lease.isUsable()) return false;
    if (lease.perCallCeiling !== null && first.credits > lease.perCallCeiling) {
      first.reject(refusals.callTooDear(first.credits, lease.perCallCeiling));
      deps.onRefused('call_ceiling', 1);
    } else if (lease.left() < first.credits) return false;
    else {
      lease.hold(first.credits);
      rate.add(first.credits);
      first.resolve(lease);
    }
    waiting.shift();
    return true;
  }

  async function takeFor(first: Waiting): Promise<void> {
    const asked = waiting.length;
    let answer = await take(first.credits);
    if (!('id' in answer) && (await ownLeasesReturned())) answer = await take(first.credits);
    // One that ended at a reset on its way here: the next counts after it.
    if ('id' in answer && answer.endsAtReset && !answer.isUsable()) {
      answer.retire();
      answer = await take(first.credits);
    }
    if ('id' in answer) {
      if (!answer.isUsable()) throw new Error('account gave a lease that is over already');
      install(answer);
      return;
    }
    const { refusal } = answer;
    const among = new Set(waiting.slice(0, asked));
    const refused = [...among].filter(({ credits }) => credits >= first.credits);
    for (const entry of refused) entry.reject(refusals.creditsRefused(refusal, entry.credits));
    deps.onRefused('credits', refused.length);
    waiting = waiting.filter((entry) => !among.has(entry) || entry.credits < first.credits);
  }

  async function serveWaiting(): Promise<void> {
    serving = true;
    try {
      for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
        if (serveFirst(first)) continue;
        if (current?.isBehind() === true) throw refusals.meteringUnavailable();
        await takeFor(first);
      }
    } catch (thrown) {
      const error = toServiceError(thrown);
      logger.error({ tenant_id: tenantId, reason: error.reason, err: thrown }, 'no credit lease can be had');
      const unserved = waiting.splice(0);
      for (const { reject } of unserved) reject(refusals.meteringUnavailable(error));
      deps.onRefused('unavailable', unserved.length);
    } finally {
      serving = false;
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
        if (!serving) link.outside(() => void serveWaiting());
      });
    },
    remaining: () => available + unused(),
    unused,
    giveBack() {
      scarceUntilMs = monotonicMs() + SCARCE_MS;
      for (const lease of leases) lease.retire();
      current = null;
    },
    tend() {
      const isIdle = monotonicMs() - usedMs >= IDLE_MS;
      for (const lease of leases) if (isIdle || (!lease.isUsable() && !lease.isBehind())) lease.retire();
      return isIdle && leases.size === 0 && waiting.length === 0;
    },
    async posted() {
      await within(POSTED_MS_MAX, Promise.all([...leases].map((lease) => lease.posted())));
    },
    async settled() {
      await Promise.all([...leases].map(({ done }) => done));
    },
  };
}
