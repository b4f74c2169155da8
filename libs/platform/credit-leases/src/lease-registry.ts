import { followStream } from '@market-state/grpc';
import { delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { addCounter, addGauge, type Metrics } from '@market-state/telemetry';
import { chargesOf } from './charge-groups';
import type { Charge, CreditCalls, Refusals, RefusedReason } from './credit-calls';
import { createCreditLink } from './credit-link';
import type { Lease, UnacknowledgedCharges } from './lease';
import { createLeaseHolder, type LeaseHolder } from './lease-holder';

const POST_EVERY_MS = 100;
const TEND_EVERY_MS = 1_000;
/** Account sends a heartbeat every second. */
const RECALL_SILENCE_MS = 3_000;
const CLOSE_MS = 5_000;
const REFUSED_REASONS: readonly RefusedReason[] = ['credits', 'call_ceiling', 'unavailable'];

export interface LeaseRegistry {
  /**
   * Valid until its idle minute is over.
   * @param keyId key whose credit ceiling applies
   */
  holderOf(tenantId: string, keyId?: string): LeaseHolder;
  /** With a lease or a call within the last minute. */
  holderTotal(): number;
  /** After a second at most. */
  posted(tenantId: string): Promise<void>;
  unacknowledged(tenantId: string): readonly UnacknowledgedCharges[];
  /** Once running calls are done. */
  giveBack(tenantId: string): void;
  /** Posts pending charges and returns every lease. */
  close(): Promise<void>;
}

export interface LeaseRegistryDeps<Refusal> {
  /** Unique to this process: account recalls leases by it. */
  readonly gatewayId: string;
  readonly credits: CreditCalls<Refusal>;
  readonly refusals: Refusals<Refusal>;
  /** Charges never reported here may be lost; callers that must not lose them post them again. */
  readonly onPosted?: (charges: readonly Charge[]) => void;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

/**
 * Leases tenants' credits in advance, so that work needs no call to account: `holderOf(tenant).hold(credits)`, then
 * `settle` or `cancel` on the lease. Charges are posted every 100 ms, idempotent by operation id. Leases are returned
 * on recall, after an idle minute and on `close`.
 */
export function createLeaseRegistry<Refusal extends object>(deps: LeaseRegistryDeps<Refusal>): LeaseRegistry {
  const { gatewayId, credits, refusals, logger, metrics, monotonicMs } = deps;
  const link = createCreditLink(credits);
  const holders = new Map<string, Map<string | undefined, LeaseHolder>>();
  const holderOfLease = new Map<string, LeaseHolder>();
  const dirty = new Set<Lease>();
  const held = addGauge(metrics, 'credit_leases_held', 'Credit leases of this process.');
  const forgiven = addCounter(metrics, 'credit_charges_forgiven_total', 'Charges that account no longer accepted.');
  const refused = addCounter(
    metrics,
    'credit_leases_refused_total',
    'Calls that got no credits, by reason: refused by account, over the ceiling per call, or credits not countable now.',
    ['reason'],
  );
  for (const reason of REFUSED_REASONS) refused.inc({ reason }, 0);

  function makeHolder(tenantId: string, keyId: string | undefined): LeaseHolder {
    const holder = createLeaseHolder({
      tenantId,
      keyId,
      gatewayId,
      link,
      refusals,
      logger,
      monotonicMs,
      onLease(lease) {
        holderOfLease.set(lease.id, holder);
        held.inc();
      },
      onPosted: (groups) => deps.onPosted?.(chargesOf(groups)),
      onDirty: (lease) => void dirty.add(lease),
      onDone(lease, lost) {
        holderOfLease.delete(lease.id);
        dirty.delete(lease);
        held.dec();
        forgiven.inc(lost);
      },
      onRefused: (reason, calls) => refused.inc({ reason }, calls),
    });
    const ofTenant = holders.get(tenantId) ?? new Map<string | undefined, LeaseHolder>();
    holders.set(tenantId, ofTenant.set(keyId, holder));
    return holder;
  }

  function holdersOf(tenantId: string): LeaseHolder[] {
    return [...(holders.get(tenantId)?.values() ?? [])];
  }

  function tend(): void {
    for (const [tenantId, ofTenant] of holders) {
      for (const [keyId, holder] of ofTenant) if (holder.tend()) ofTenant.delete(keyId);
      if (ofTenant.size === 0) holders.delete(tenantId);
    }
  }

  function postAll(): void {
    const leases = [...dirty];
    dirty.clear();
    for (const lease of leases) lease.flush();
  }

  const posting = setInterval(postAll, POST_EVERY_MS);
  const tending = setInterval(tend, TEND_EVERY_MS);
  for (const timer of [posting, tending]) timer.unref();
  const recalls = followStream({
    open: (signal) => credits.watchRecalls({ gatewayId }, { signal, idleLimitMs: RECALL_SILENCE_MS }),
    onDown: (error) => logger.warn({ reason: error.reason, detail: error.detail }, 'stream of lease recalls is down'),
    onMessage({ leaseIds }) {
      for (const leaseId of leaseIds) holderOfLease.get(leaseId)?.giveBack();
    },
  });

  return {
    holderOf: (tenantId, keyId) => holders.get(tenantId)?.get(keyId) ?? makeHolder(tenantId, keyId),
    holderTotal: () => [...holders.values()].reduce((sum, ofTenant) => sum + ofTenant.size, 0),
    async posted(tenantId) {
      await Promise.all(holdersOf(tenantId).map((holder) => holder.posted()));
    },
    unacknowledged: (tenantId) => holdersOf(tenantId).flatMap((holder) => holder.unacknowledged()),
    giveBack(tenantId) {
      for (const holder of holdersOf(tenantId)) holder.giveBack();
    },
    async close() {
      clearInterval(tending);
      const all = [...holders.keys()].flatMap(holdersOf);
      for (const holder of all) holder.giveBack();
      const stopWaiting = new AbortController();
      await Promise.race([Promise.all(all.map((holder) => holder.settled())), delay(CLOSE_MS, stopWaiting.signal).catch(() => undefined)]);
      stopWaiting.abort();
      clearInterval(posting);
      link.close();
      await recalls.close();
    },
  };
}
