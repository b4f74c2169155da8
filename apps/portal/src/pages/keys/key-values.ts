import { whole } from '../../market/numbers';
import type { Params, Schemas } from '@market-state/client';

export const SCOPES = [
  ['read', 'packets, market data, usage'],
  ['export', 'export jobs and their files'],
  ['automation', 'watchlists, alerts, webhooks, feedback'],
  ['account', 'keys, spend controls, billing'],
] as const;

type Scope = (typeof SCOPES)[number][0];

/** Suggested windows; the service accepts any from a minute to 31 days. */
export const WINDOWS = [
  [3_600, 'hour'],
  [86_400, 'day'],
  [604_800, '7 days'],
  [2_592_000, '30 days'],
] as const;

export const OVERLAPS = [
  [0, 'not at all: it expires immediately'],
  [3_600, 'an hour'],
  [86_400, 'a day'],
  [604_800, '7 days'],
  [2_592_000, '30 days'],
] as const;

export function windowWords(seconds: number): string {
  return WINDOWS.find(([each]) => each === seconds)?.[1] ?? `${whole(seconds)} s`;
}

const text = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** The key works until the end of its expiry day (UTC); empty fields mean no limit. */
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

export function expiryDay({ expires_utc: expiresUtc }: Pick<Schemas['KeyRecord'], 'expires_utc'>): string {
  return expiresUtc?.slice(0, 10) ?? '';
}

/** An unchanged expiry day keeps the exact timestamp. */
export function changedValues(form: FormData, key: Schemas['KeyRecord']): Omit<Params<'updateKey'>, 'key_id'> {
  const { expires_at: expiresAt, ...others } = keyValues(form);
  return text(form, 'expires_at') === expiryDay(key) ? others : { ...others, expires_at: expiresAt };
}
