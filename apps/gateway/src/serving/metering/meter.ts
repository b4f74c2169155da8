import type { IncomingHttpHeaders } from 'node:http';
import { randomUUID } from 'node:crypto';
import { account } from '@market-state/contracts';
import { type Lease, type LeaseRegistry, type LeaseHolder, receiptIdOf, createLeaseRegistry } from '@market-state/credit-leases';
import { type CallPrice, isPricedByParameters, type WorkloadFamily, PRICE_VERSION, type CreditKind } from '@market-state/pricing';
import type { Metrics } from '@market-state/telemetry';
import { Counter } from 'prom-client';
import type { ServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { callerOf, type Grant } from '../auth/credentials';
import type { Operation } from '../openapi/operations';
import type { Input } from '../validation/request-validator';
import { priceOfCall, readBounds } from './call-price';
import { createStreamMeter, type StreamMeter } from './stream-meter';
import { Problem } from '../errors/problem';
import { toUtc, toUtcOrNull, inPeoplesUnits } from '../meta/meta';
import type { WithoutMeta } from '../openapi/document';

interface ChargedCall {
  readonly operation: Operation;
  readonly price: CallPrice;
  readonly caller: account.Caller;
  readonly hasCeiling: boolean;
  readonly requestId: string;
  readonly quoteId: string;
}

/** Never the id sent by the caller. */
export function newOperationId(): string {
  return `op_${randomUUID()}`;
}

function pricedAt(
  { operation, price, quoteId }: Pick<ChargedCall, 'operation' | 'price' | 'quoteId'>,
  estimated: number,
  observed: number,
): account.Priced {
  return {
    method: operation.method.toUpperCase(),
    route: operation.path,
    workloadFamily: price.family,
    priceVersion: PRICE_VERSION,
    estimatedMarketStateCredits: estimated,
    observedMarketStateCredits: observed,
    estimatedExportCredits: 0,
    observedExportCredits: 0,
    quoteId,
    artifactIds: [],
  };
}

function makeCharge(
  { caller, requestId }: Pick<ChargedCall, 'caller' | 'requestId'>,
  operationId: string,
  priced: account.Priced,
  status: number,
  servedTsMs: number,
): account.Charge {
  return { operationId, requestId, caller, priced, status, servedTsMs };
}

/** Summed until metrics are read: a labelled counter costs more than the rest of a charge. */
interface SpendTally {
  add(family: WorkloadFamily, credits: number): void;
}

function createSpendTally(metrics: Metrics): SpendTally {
  const tally = new Map<WorkloadFamily, number>();
  new Counter({
    name: 'credits_charged_total',
    help: 'Credits charged, by workload family.',
    labelNames: ['family'],
    registers: [metrics.registry],
    collect() {
      for (const [family, credits] of tally) this.inc({ family }, credits);
      tally.clear();
    },
  });
  return {
    add: (family, credits) => void tally.set(family, (tally.get(family) ?? 0) + credits),
  };
}

/** Call without its own bounds. */
interface PlainCall {
  readonly operation: Operation;
  readonly query: Input['query'];
  readonly grant: Grant;
  readonly requestId: string;
}

interface MeteredCall extends Omit<PlainCall, 'query'> {
  readonly input: Input;
  readonly headers: IncomingHttpHeaders;
  readonly operationId?: string;
}

/** Exactly one of `post`, `cancel` and `stream` ends the reservation; later calls do nothing. */
export interface OpenCharge {
  /**
   * Fixes the charge; credits stay reserved until the answer is out.
   * @param observedUnits undefined charges the estimate
   * @returns headers as alternating names and values
   */
  settle(observedUnits: number | undefined, status: number): readonly string[];
  post(): void;
  cancel(): void;
  stream(): StreamMeter;
}

export interface Meter {
  /**
   * Reserves the maximum cost; null if not metered.
   * @throws {Problem} 402 if a quote, ceiling, cap or the balance does not allow it, 503 if credits cannot be counted
   */
  open(call: MeteredCall): Promise<OpenCharge | null>;
  /** Synchronous `open`; null if that needs account. */
  openNow(call: PlainCall): OpenCharge | null;
  /** Resolves when charges so far are visible in account, after a second at most. */
  posted(tenantId: string): Promise<void>;
  /** Charges so far that account may not have yet. */
  unacknowledged(tenantId: string): account.UnacknowledgedCharges[];
  /** Makes changed limits apply to the next call. */
  giveBack(tenantId: string): void;
}

interface MeterDeps {
  readonly leases: LeaseRegistry;
  readonly quoteSecret: string;
  readonly metrics: Metrics;
  readonly symbolTotal: () => number;
  readonly now: () => number;
}

interface KnownCall {
  readonly symbolTotal: number;
  readonly price: CallPrice;
  readonly caller: account.Caller;
}

/** Priced again when the number of served symbols changes. A query belongs to one operation. */
function rememberCalls(symbolTotalNow: () => number): (operation: Operation, grant: Grant, query: Input['query']) => KnownCall {
  const known = new WeakMap<Grant, { readonly caller: account.Caller; readonly calls: WeakMap<Input['query'], KnownCall> }>();

  return (operation, grant, query) => {
    const symbolTotal = symbolTotalNow();
    const ofGrant = known.get(grant) ?? { caller: callerOf(grant), calls: new WeakMap<Input['query'], KnownCall>() };
    const before = ofGrant.calls.get(query);
    if (before !== undefined && before.symbolTotal === symbolTotal) return before;
    const input = { query, path: {}, headers: {}, body: undefined };
    const price = priceOfCall(operation, input, { symbolTotal, planId: grant.plan.planId });
    const made = { symbolTotal, price, caller: ofGrant.caller };
    ofGrant.calls.set(query, made);
    known.set(grant, ofGrant);
    return made;
  };
}

interface HoldOptions {
  readonly operationId: string | undefined;
  readonly maxCredits: number | null;
}

function isCharged(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

export function createMeter({ leases, quoteSecret, metrics, symbolTotal, now }: MeterDeps): Meter {
  const charged = createSpendTally(metrics);
  const keptPriced = new WeakMap<CallPrice, account.Priced>();
  const priced = rememberCalls(symbolTotal);

  function pricedAgain(call: Parameters<typeof pricedAt>[0], estimated: number, observed: number): account.Priced {
    const known = keptPriced.get(call.price);
    if (known !== undefined && known.observedMarketStateCredits === observed && known.quoteId === call.quoteId) return known;
    const made = pricedAt(call, estimated, observed);
    keptPriced.set(call.price, made);
    return made;
  }

  function holderOf({ caller: { tenantId, keyId }, hasCeiling }: ChargedCall): LeaseHolder {
    return hasCeiling ? leases.holderOf(tenantId, keyId) : leases.holderOf(tenantId);
  }

  function hold(call: ChargedCall, holder: LeaseHolder, lease: Lease, { operationId, maxCredits }: HoldOptions): OpenCharge {
    const { price } = call;
    let open = true;
    let settled: account.Charge | null = null;

    function cancel(): void {
      if (!open) return;
      open = false;
      lease.cancel(price.estimated);
    }

    return {
      settle(observedUnits, status) {
        if (!open || !isCharged(status)) {
          cancel();
          return [];
        }
        const credits = price.observed(observedUnits);
        const ownId = operationId ?? newOperationId();
        settled = makeCharge(call, ownId, pricedAgain(call, price.estimated, credits), status, now());
        return [
          'X-Credits-Charged',
          String(credits),
          'X-Credits-Remaining',
          String(holder.remaining() - credits),
          'X-Receipt-Id',
          receiptIdOf(call.caller.tenantId, ownId),
        ];
      },
      post() {
        if (!open || settled === null) {
          cancel();
          return;
        }
        open = false;
        lease.settle(price.estimated, settled);
        charged.add(price.family, settled.priced?.observedMarketStateCredits ?? 0);
      },
      cancel,
      stream() {
        open = false;
        return createStreamMeter({
          price,
          chargeOf: (estimated, used) => makeCharge(call, newOperationId(), pricedAt(call, estimated, used), 200, now()),
          holderNow: () => holderOf(call),
          lease,
          maxCredits,
          onCharged: (credits) => charged.add(price.family, credits),
        });
      },
    };
  }

  function callOf({ operation, query, grant, requestId }: PlainCall, quoteId = ''): ChargedCall {
    return { operation, ...priced(operation, grant, query), hasCeiling: grant.hasCeiling, requestId, quoteId };
  }

  return {
    async open({ input, headers, operationId, ...plain }) {
      const { operation, grant } = plain;
      if (operation.price === null || !isPricedByParameters(operation.price)) return null;
      const { price } = priced(operation, grant, input.query);
      const { maxCredits, quoteId } = readBounds({ operation, input, grant, price, headers }, quoteSecret, now());
      const call = callOf({ ...plain, query: input.query }, quoteId);
      const holder = holderOf(call);
      const lease = holder.holdNow(price.estimated) ?? (await holder.hold(price.estimated));
      return hold(call, holder, lease, { operationId, maxCredits });
    },
    openNow(plain) {
      const call = callOf(plain);
      const holder = holderOf(call);
      const lease = holder.holdNow(call.price.estimated);
      return lease === null ? null : hold(call, holder, lease, { operationId: undefined, maxCredits: null });
    },
    posted: (tenantId) => leases.posted(tenantId),
    unacknowledged: (tenantId) => [...leases.unacknowledged(tenantId)],
    giveBack: (tenantId) => leases.giveBack(tenantId),
  };
}

const { CreditControl } = account;

/** Code of the 402, as named in the settings. */
type CreditRefusal = 'insufficient_credits' | 'credit_ceiling' | keyof WithoutMeta<'SpendControls'>;

export function refusalCode(control: account.CreditControl): CreditRefusal {
  switch (control) {
    case CreditControl.MONTHLY_CREDIT_CAP:
      return 'monthly_credit_cap';
    case CreditControl.DAILY_CREDIT_CAP:
      return 'daily_credit_cap';
    case CreditControl.EXPORT_CREDIT_CAP:
      return 'export_credit_cap';
    case CreditControl.PER_CALL_CREDIT_CEILING:
      return 'per_call_credit_ceiling';
    case CreditControl.CREDIT_CEILING:
      return 'credit_ceiling';
    default:
      return 'insufficient_credits';
  }
}

function inCredits(amount: number, kind: CreditKind): string {
  const word = kind === 'export' ? 'export credit' : 'credit';
  return amount === 1 ? `1 ${word}` : `${amount} ${word}s`;
}

function sentenceOf(code: CreditRefusal, available: number, cost: string, when: string): string {
  switch (code) {
    case 'insufficient_credits':
      return `This call needs ${cost}; ${available} are available.${when} Nothing was charged.`;
    case 'per_call_credit_ceiling':
      return `This call may cost ${cost}, but the spend control ${code} allows ${available} per call. Nothing was charged.`;
    default:
      return `This call needs ${cost}, but the spend control ${code} leaves ${available}.${when} Nothing was charged.`;
  }
}

/** 402 for the key's own ceiling. */
function ceilingReached(standing: account.CeilingStanding, needed: number, cost: string): Problem {
  const { ceiling, spent } = standing;
  const { credits = 0, windowSeconds = 0 } = ceiling ?? {};
  const available = Math.max(0, standing.available);
  const resets = needed > credits ? null : toUtc(standing.resetsTsMs);
  const cheaper = available === 0 ? '' : ` Calls of up to ${available} are still allowed.`;
  const when = resets === null ? ' No window allows it.' : ` It resets at ${resets}.`;
  return new Problem(
    'credit_ceiling',
    `This call needs ${cost}. This key may spend ${credits} in ${inPeoplesUnits(windowSeconds * 1_000)}: ${spent} spent, ${available} left.` +
      `${when}${cheaper} Nothing was charged.`,
    {
      members: {
        control: 'credit_ceiling',
        available,
        needed,
        resets_at_utc: resets,
        ceiling: { credits, window_seconds: windowSeconds, spent },
      },
    },
  );
}

/** 402 from account. */
export function creditsRefused(refusal: account.Refusal, needed: number, kind: CreditKind = 'market_state'): Problem {
  const { control, available, resetsTsMs } = refusal;
  if (refusal.ceiling !== undefined) return ceilingReached(refusal.ceiling, needed, inCredits(needed, kind));
  const code = refusalCode(control);
  const resets = toUtcOrNull(resetsTsMs);
  const when = resets === null ? '' : ` It resets at ${resets}.`;
  const members = { control: code === 'insufficient_credits' ? 'balance' : code, available, needed, resets_at_utc: resets };
  return new Problem(code, sentenceOf(code, available, inCredits(needed, kind), when), { members });
}

/** 402 that does not reset. */
function callTooDear(needed: number, ceiling: number): Problem {
  return creditsRefused({ control: CreditControl.PER_CALL_CREDIT_CEILING, available: ceiling, resetsTsMs: 0 }, needed);
}

/** 503. */
function meteringUnavailable(cause?: ServiceError): Problem {
  const seconds = Number(cause?.metadata['retry_after_s'] ?? 1);
  const headers = { 'Retry-After': String(Number.isSafeInteger(seconds) && seconds > 0 ? seconds : 1) };
  return new Problem('metering_unavailable', 'Credits cannot be counted right now, so the call was not served. Nothing was charged.', {
    headers,
    cause,
  });
}

interface LeaseRegistryDeps {
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

export function createCreditLeases({ credits, ...deps }: LeaseRegistryDeps): LeaseRegistry {
  const refusals = { creditsRefused, callTooDear, meteringUnavailable };
  return createLeaseRegistry<account.Refusal>({ ...deps, gatewayId: `gw_${randomUUID()}`, credits: credits.call, refusals });
}
