import type { Params, Schemas } from '@market-state/client';

/** What a key may be used for, in the words of the form. */
export const SCOPES = [
  ['read', 'packets, market data, usage'],
  ['export', 'export jobs and their files'],
  ['automation', 'watchlists, alerts, webhooks, feedback'],
  ['account', 'keys, spend controls, billing'],
] as const;

type Scope = (typeof SCOPES)[number][0];

/** Windows that a ceiling is usually of; the service takes any from a minute to 31 days. */
export const WINDOWS = [
  [3_600, 'an hour'],
  [86_400, 'a day'],
  [604_800, '7 days'],
  [2_592_000, '30 days'],
] as const;

/** Times for which a rotated key still works, seconds. */
export const OVERLAPS = [
  [0, 'not at all: it ends at once'],
  [3_600, 'an hour'],
  [86_400, 'a day'],
  [604_800, '7 days'],
  [2_592_000, '30 days'],
] as const;

/** `a day` for 86,400 s; a window of another length in seconds. */
export function windowWords(seconds: number): string {
  return WINDOWS.find(([each]) => each === seconds)?.[1] ?? `${seconds.toLocaleString('en-US')} s`;
}

const text = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** What a form of a key asks for. An expiry is a day of which the key still works all of, UTC; empty fields mean none. */
export function keyValues(
  form: FormData,
): Pick<Required<Params<'createKey'>>, 'name' | 'scopes' | 'expires_at' | 'credit_ceiling' | 'rate_limit'> {
  const day = text(form, 'expires_at');
  const credits = text(form, 'credits');
  const calls = text(form, 'calls_per_minute');
  return {
    name: text(form, 'name'),
    scopes: form.getAll('scopes').map((scope) => String(scope) as Scope),
    expires_at: day === '' ? '' : `${day}T23:59:59.999Z`,
    credit_ceiling: credits === '' ? null : { credits: Number(credits), window_seconds: Number(text(form, 'window_seconds')) },
    rate_limit: calls === '' ? null : { calls_per_minute: Number(calls) },
  };
}

/** The day of a key's expiry, as the form has it; empty without one. */
export function expiryDay({ expires_utc: expiresUtc }: Pick<Schemas['KeyRecord'], 'expires_utc'>): string {
  return expiresUtc?.slice(0, 10) ?? '';
}

/** What of a key's form is asked for as a change: an expiry whose day was left as it is stays to the millisecond. */
export function changedValues(form: FormData, key: Schemas['KeyRecord']): Omit<Params<'updateKey'>, 'key_id'> {
  const { expires_at: expiresAt, ...others } = keyValues(form);
  return text(form, 'expires_at') === expiryDay(key) ? others : { ...others, expires_at: expiresAt };
}
