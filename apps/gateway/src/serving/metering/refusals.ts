import { account } from '@market-state/contracts';
import type { ServiceError } from '@market-state/errors';
import { Problem } from '../errors/problem';
import type { CreditKind } from '@market-state/pricing';
import { toUtcOrNull } from '../meta/utc';

const { CreditControl } = account;

/** The public name of what stopped a call. */
function controlName(control: account.CreditControl): string {
  switch (control) {
    case CreditControl.MONTHLY_CREDIT_CAP:
      return 'monthly_credit_cap';
    case CreditControl.DAILY_CREDIT_CAP:
      return 'daily_credit_cap';
    case CreditControl.EXPORT_CREDIT_CAP:
      return 'export_credit_cap';
    default:
      return 'balance';
  }
}

function inCredits(amount: number, kind: CreditKind = 'market_state'): string {
  const word = kind === 'export' ? 'export credit' : 'credit';
  return amount === 1 ? `1 ${word}` : `${amount} ${word}s`;
}

/** 402: account refused the credits of a call; says which control did and when it allows calls again. */
export function creditsRefused({ control, available, resetsTsMs }: account.Refusal, needed: number, kind?: CreditKind): Problem {
  const name = controlName(control);
  const resets = toUtcOrNull(resetsTsMs);
  const when = resets === null ? '' : ` It resets at ${resets}.`;
  const members = { control: name, available, needed, resets_at_utc: resets };
  if (name === 'balance')
    return new Problem(
      'insufficient_credits',
      `This call needs ${inCredits(needed, kind)} and ${available} are left.${when} Nothing was charged.`,
      { members },
    );
  return new Problem(
    'spend_control_reached',
    `This call needs ${inCredits(needed, kind)} and the spend control ${name} leaves ${available}.${when} Nothing was charged.`,
    { members },
  );
}

/** 402: one call costs more than the tenant allows for one. It does not reset. */
export function callTooDear(needed: number, ceiling: number): Problem {
  const members = { control: 'per_call_credit_ceiling', available: ceiling, needed, resets_at_utc: null };
  return new Problem(
    'per_call_ceiling',
    `This call may cost ${inCredits(needed)} and the spend control per_call_credit_ceiling allows ${ceiling} for one. Nothing was charged.`,
    { members },
  );
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
