import { MARKET_FORM, parseUtcInstant } from '@market-state/market-data';
import type { Fault } from './cli-command';

export const SCOPE_WORDS = ['read', 'export', 'automation', 'account'] as const;
export type ScopeWord = (typeof SCOPE_WORDS)[number];

export function scopesOption(options: Options, fault: Fault): readonly ScopeWord[] {
  const words = listOption(options, 'scopes');
  const unknown = words.filter((word) => !SCOPE_WORDS.some((known) => known === word));
  if (unknown.length > 0 || words.length === 0)
    fault(`--scopes must be a comma-separated list of ${SCOPE_WORDS.join(', ')}, not ${JSON.stringify(unknown.join(','))}`);
  return SCOPE_WORDS.filter((word) => words.includes(word));
}

export type Options = Readonly<Record<string, unknown>>;

export function textOption(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Comma-separated words; empty ones are dropped. */
export function listOption(options: Options, name: string): readonly string[] {
  return (textOption(options, name) ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

export const EVENT_ID = /^evt_[0-9a-z]{26}$/;

export function symbolOption(options: Options, fault: Fault): string | undefined {
  const symbol = textOption(options, 'symbol');
  if (symbol !== undefined) checkSymbol(symbol, fault, '--symbol');
  return symbol;
}

export function checkSymbol(word: string, fault: Fault, what = 'a symbol'): void {
  if (MARKET_FORM.test(word)) return;
  const meant = `${word.toUpperCase().replace(/[-/_ ]?(USDT?)?([-/_ ]?(PERP|SWAP))?$/, '')}USD-PERP`;
  const suggestion = MARKET_FORM.test(meant) ? `. Did you mean ${meant}?` : '';
  fault(`${what} must look like BTCUSD-PERP, not ${JSON.stringify(word)}${suggestion}`);
}

/** One of the allowed words; the first is the default. */
export function choiceOption<T extends string>(options: Options, name: string, choices: readonly [T, ...T[]], fault: Fault): T {
  return wordOption(options, name, choices, fault) ?? choices[0];
}

/** One of the allowed words; undefined if absent or reported. */
export function wordOption<T extends string>(options: Options, name: string, words: readonly T[], fault: Fault): T | undefined {
  const text = textOption(options, name);
  const known = words.find((word) => word === text);
  if (text !== undefined && known === undefined) fault(`${flagOf(name)} must be one of ${words.join(', ')}, not ${JSON.stringify(text)}`);
  return known;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/;

/** `maxCredits` → `--max-credits`. */
function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

const DAY_MS = 86_400_000;
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
/** Start of a UTC day, as days from today. */
const DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** Epoch milliseconds, or NaN if the text is not an instant. */
export function instantOf(text: string, nowMs = Date.now()): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return relativeInstant(text, nowMs) ?? (INSTANT.test(text) ? parseUtcInstant(text) : undefined) ?? Number.NaN;
}

function relativeInstant(text: string, nowMs: number): number | undefined {
  if (text === 'now') return nowMs;
  const days = DAYS[text];
  if (days !== undefined) return (Math.floor(nowMs / DAY_MS) + days) * DAY_MS;
  const [, sign, amount, unit = ''] = /^([+-])(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  return unitMs === undefined ? undefined : nowMs + (sign === '-' ? -1 : 1) * Number(amount) * unitMs;
}

/** Undefined if absent or reported. */
export function utcOption(options: Options, name: string, fault: Fault): string | undefined {
  const instantMs = instantOption(options, name, fault);
  return instantMs === undefined || Number.isNaN(instantMs) ? undefined : new Date(instantMs).toISOString();
}

/**
 * Instant as epoch milliseconds, a UTC date (`2024-08-08`), a UTC time (`2024-08-08T23:55:00Z`), or relative to now:
 * `-1h`, `+30d`, `now`, `today`, `yesterday`, `tomorrow`.
 */
export function instantOption(options: Options, name: string, fault: Fault): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const instantMs = instantOf(text);
  if (Number.isNaN(instantMs))
    fault(
      `${flagOf(name)} must be a UTC time such as 2024-08-08T23:55:00Z, epoch milliseconds, or relative, such as -1h or yesterday, not ${JSON.stringify(text)}`,
    );
  return instantMs;
}

/** `--from` and `--to` in the form that the service takes. */
export function spanOption(options: Options, fault: Fault): { readonly from?: string; readonly to?: string } {
  const [from, to] = [utcOption(options, 'from', fault), utcOption(options, 'to', fault)];
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) fault('--to must be after --from');
  return { from, to };
}

export function numberOption(
  options: Options,
  name: string,
  bounds: { readonly min: number; readonly max: number; readonly integer: boolean },
  fault: Fault,
): number | undefined {
  const text = textOption(options, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  const fits = value >= bounds.min && value <= bounds.max && (!bounds.integer || Number.isInteger(value));
  if (!fits)
    fault(
      `${flagOf(name)} must be a${bounds.integer ? ' whole' : ''} number from ${bounds.min} to ${bounds.max}, not ${JSON.stringify(text)}`,
    );
  return value;
}

export function addressOption(options: Options, name: string, fault: Fault): string | undefined {
  const text = textOption(options, name);
  if (text !== undefined && !/^[A-Za-z0-9.:[\]-]+:\d{1,5}$/.test(text))
    fault(`${flagOf(name)} must be host:port, not ${JSON.stringify(text)}`);
  return text;
}

export const SERVICE_URL = /^https?:\/\/[^/?#\s@]+\/?$/;

/** `--url`, without a trailing slash. */
export function serviceUrlOption(options: Options, fault: Fault): string | undefined {
  const url = textOption(options, 'url');
  if (url !== undefined && !SERVICE_URL.test(url)) fault(`--url must look like http://127.0.0.1:8080, not ${JSON.stringify(url)}`);
  return url?.replace(/\/$/, '');
}
