import { randomUUID } from 'node:crypto';
import { account } from '@market-state/contracts';
import { createLeaseRegistry, type LeaseRegistry } from '@market-state/credit-leases';
import type { ServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import type { CreditKind } from '@market-state/pricing';
import type { Metrics } from '@market-state/telemetry';
import { Problem } from '../errors/problem';
import { toUtc, toUtcOrNull, inPeoplesUnits } from '../meta/meta';
import type { WithoutMeta } from '../openapi/document';

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
