import type { Params } from '@market-state/client';
import { words } from '@market-state/packet-figures';
import { stateLabel } from '../../packets/words';
import { clock } from '../../time/clock';
import { instantOf } from '../../time/field-time';
import { urlTime } from '../../service/url-state';
import { marketNamed, marketWords } from '../../packets/market-name';

type Query = NonNullable<Params<'createSavedSearch'>['query']>;

/** An empty field sets no condition. */
export type SearchQuery = Readonly<
  Record<'symbol' | 'q' | 'state' | 'event_class' | 'event_profile' | 'severity_class' | 'from' | 'to', string>
> & {
  readonly tag: readonly string[];
};

export const ALL = 'ALL';
const TEXTS = ['symbol', 'q', 'state', 'event_class', 'event_profile', 'severity_class', 'from', 'to'] as const;

const STATES: Readonly<Record<Exclude<NonNullable<Query['state']>, ''>, true>> = {
  pressure_building: true,
  depth_watch: true,
  flow_shift_watch: true,
  fragile_depth_watch: true,
  crowding_shift: true,
  crowding_persistent: true,
  regime_transition_candidate: true,
  market_state_watch: true,
  insufficient_evidence: true,
  replay_context_ready: true,
};
const CLASSES: Readonly<Record<Exclude<NonNullable<Query['event_class']>, ''>, true>> = {
  bid_pressure_confirmed_by_buy_flow: true,
  ask_pressure_confirmed_by_sell_flow: true,
  bid_depth_absorption_against_sell_flow: true,
  ask_depth_absorption_against_buy_flow: true,
  trade_flow_leading_visible_book: true,
  visible_depth_pressure_without_trade_confirmation: true,
  funding_oi_crowding_context: true,
  balanced_two_sided_context: true,
  retained_context_only: true,
};
const PROFILES: Readonly<Record<Exclude<NonNullable<Query['event_profile']>, ''>, true>> = {
  flow_confirmed_pressure: true,
  contra_flow_absorption: true,
  trade_flow_lead: true,
  depth_only_pressure: true,
  crowding_context: true,
  routine_context: true,
  retained_context: true,
};
const SEVERITIES: Readonly<Record<Exclude<NonNullable<Query['severity_class']>, ''>, true>> = {
  critical_context: true,
  high_context: true,
  elevated_context: true,
  routine_context: true,
};

export const CHOICES = [
  ['state', 'Published state', Object.keys(STATES), stateLabel],
  ['event_class', 'Event class', Object.keys(CLASSES), words],
  ['event_profile', 'Event profile', Object.keys(PROFILES), words],
  ['severity_class', 'Severity', Object.keys(SEVERITIES), words],
] as const;

export function readQuery(params: URLSearchParams): SearchQuery | null {
  if (![...TEXTS, 'tag'].some((name) => params.has(name))) return null;
  const texts = Object.fromEntries(TEXTS.map((name) => [name, params.get(name) ?? ''])) as Record<(typeof TEXTS)[number], string>;
  return { ...texts, symbol: texts.symbol === '' ? ALL : texts.symbol, tag: params.getAll('tag').filter((tag) => tag !== '') };
}

/** @param savedId id of the saved search, if it is one */
export function writeQuery(query: SearchQuery, savedId = ''): URLSearchParams {
  const params = new URLSearchParams();
  for (const name of TEXTS) if (query[name] !== '') params.set(name, query[name]);
  for (const tag of query.tag) params.append('tag', tag);
  if (savedId !== '') params.set('saved', savedId);
  return params;
}

export function sentQuery(query: SearchQuery): Query {
  const texts = TEXTS.flatMap((name) => (query[name] === '' ? [] : [[name, query[name]]]));
  return { ...Object.fromEntries(texts), ...(query.tag.length === 0 ? {} : { tag: query.tag }) } as Query;
}

export function storedQuery(stored: Readonly<Record<string, unknown>>): SearchQuery {
  const text = (name: string): string => (typeof stored[name] === 'string' || typeof stored[name] === 'number' ? String(stored[name]) : '');
  const texts = Object.fromEntries(TEXTS.map((name) => [name, text(name)])) as Record<(typeof TEXTS)[number], string>;
  const { tag } = stored;
  // Searches stored without a symbol are for this one.
  return {
    ...texts,
    symbol: marketNamed({ symbol: texts.symbol || 'BTCUSD-PERP', venue: text('venue') || undefined }).symbol,
    tag: Array.isArray(tag) ? tag.map(String) : [],
  };
}

export function formQuery(form: FormData): SearchQuery {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const time = (name: string): string => {
    const ms = instantOf(form.get(name));
    return Number.isNaN(ms) ? '' : urlTime(ms);
  };
  const texts = Object.fromEntries(TEXTS.map((name) => [name, text(name)])) as Record<(typeof TEXTS)[number], string>;
  return {
    ...texts,
    from: time('from'),
    to: time('to'),
    tag: text('tag')
      .split(/[\s,]+/)
      .filter((tag) => tag !== ''),
  };
}

/** Example: `Depth watch, high context; all symbols, from 2026-11-25 10:00:00 UTC`. */
export function queryWords(query: SearchQuery): string {
  const conditions = [
    query.q === '' ? '' : `"${query.q}"`,
    ...CHOICES.map(([name, , , label]) => (query[name] === '' ? '' : label(query[name]))),
    ...query.tag,
  ].filter((each) => each !== '');
  const when = [timeWords('from', query.from), timeWords('to', query.to)].filter((each) => each !== '').join(' ');
  return `${conditions.join(', ') || 'every packet'}; ${query.symbol === ALL ? 'all symbols' : marketWords(query.symbol)}${when === '' ? '' : `, ${when}`}`;
}

function timeWords(word: string, text: string): string {
  const ms = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isNaN(ms) ? '' : `${word} ${clock(ms)}`;
}
