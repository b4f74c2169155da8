import { account } from '@market-state/contracts';
import type { ServiceError } from '@market-state/errors';
import { Problem } from '../errors/problem';
import type { CreditKind } from '@market-state/pricing';
import { toUtcOrNull } from '../meta/utc';
import type { WithoutMeta } from '../openapi/described';

const { CreditControl } = account;

/** What stops a call, by the code of its 402; a spend control has the name that it has in the settings. */
type CreditRefusal = 'insufficient_credits' | keyof WithoutMeta<'SpendControls'>;

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
    default:
      return 'insufficient_credits';
  }
}

function inCredits(amount: number, kind: CreditKind): string {
  const word = kind === 'export' ? 'export credit' : 'credit';
  return amount === 1 ? `1 ${word}` : `${amount} ${word}s`;
}

/** Why, in one sentence. `when` says when the control resets, if it does. */
function sentenceOf(code: CreditRefusal, available: number, cost: string, when: string): string {
  switch (code) {
    case 'insufficient_credits':
      return `This call needs ${cost} and ${available} are left.${when} Nothing was charged.`;
    case 'per_call_credit_ceiling':
      return `This call may cost ${cost} and the spend control ${code} allows ${available} for one. Nothing was charged.`;
    default:
      return `This call needs ${cost} and the spend control ${code} leaves ${available}.${when} Nothing was charged.`;
  }
}

/** 402: account refused the credits of a call; says which control did and when it allows calls again. */
export function creditsRefused(refusal: account.Refusal, needed: number, kind: CreditKind = 'market_state'): Problem {
  const { control, available, resetsTsMs } = refusal;
  const code = refusalCode(control);
  const resets = toUtcOrNull(resetsTsMs);
  const when = resets === null ? '' : ` It resets at ${resets}.`;
  const members = { control: code === 'insufficient_credits' ? 'balance' : code, available, needed, resets_at_utc: resets };
  return new Problem(code, sentenceOf(code, available, inCredits(needed, kind), when), { members });
}

/** 402: one call costs more than the tenant allows for one. It does not reset. */
export function callTooDear(needed: number, ceiling: number): Problem {
  return creditsRefused({ control: CreditControl.PER_CALL_CREDIT_CEILING, available: ceiling, resetsTsMs: 0 }, needed);
}

/** 503: credits cannot be counted now, so nothing is served. */
export function meteringUnavailable(cause?: ServiceError): Problem {
  const seconds = Number(cause?.metadata['retry_after_s'] ?? 1);
  const headers = { 'Retry-After': String(Number.isSafeInteger(seconds) && seconds > 0 ? seconds : 1) };
  return new Problem('metering_unavailable', 'Credits cannot be counted at the moment, so the call was not served. Nothing was charged.', {
    headers,
    cause,
  });
}
