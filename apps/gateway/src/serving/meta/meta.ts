import { loadPolicy } from '@market-state/labeler';
import { definitionsOf } from '@market-state/packet-views';
import { parseUtcInstant, readMarket } from '@market-state/market-data';
import type { Described } from '../openapi/document';

export const definitions = definitionsOf(loadPolicy());

const ORIGINS: Readonly<Record<SourceKindName, string>> = {
  live: 'the venue',
  recorded: 'a re-timed recording',
  simulated: 'a simulated venue',
  unknown: 'a source of undeclared kind',
};

/** Each origin once, in order. */
export function originOf(kinds: readonly SourceKindName[]): string {
  return [...new Set(kinds)].map((kind) => ORIGINS[kind]).join(' and ');
}

export type Meta = Described<'Meta'>;
type Semantics = Described<'ResponseSemantics'>;

export type FreshnessState = Semantics['freshness_state'];
export type AuthState = Semantics['auth_state'];
export type AvailabilityState = Semantics['availability_state'];
type ResponseState = Semantics['response_state'];
/** `multiple` describes several sources together, never one. */
export type SourceKindName = Exclude<Described<'Source'>['kind'], 'multiple'>;

export interface AnswerFacts {
  /** Empty without rows from a source. */
  readonly sourceKinds: readonly SourceKindName[];
  readonly freshness: FreshnessState;
  readonly availability: AvailabilityState;
  readonly statusText: string;
  readonly auth: AuthState;
  readonly delayed?: boolean;
  readonly preview?: boolean;
  readonly requiresApiKey: boolean;
  readonly metered: boolean;
  /** True if the answer is only the source's newest state. */
  readonly sourceCurrentOnly: boolean;
}

const DELAYED = 'Delayed for a sandbox key: all data is at least 600 s old.';

/** The first that applies. A source of unknown kind never counts as live. */
export function responseStateOf({
  sourceKinds: kinds,
  preview = false,
  delayed = false,
}: Pick<AnswerFacts, 'sourceKinds' | 'preview' | 'delayed'>): ResponseState {
  if (preview) return 'preview';
  if (delayed) return 'delayed_sandbox';
  if (kinds.includes('simulated')) return 'synthetic';
  return kinds.length > 0 && kinds.every((kind) => kind === 'live') ? 'live' : 'recorded_replay';
}

export function buildMeta(facts: AnswerFacts): Meta {
  const state = responseStateOf(facts);
  return {
    api_version: '1.0',
    content_type: 'market_context',
    data_rights: { use: 'derived_market_context' },
    authority_class: 'market_context_only_authority_zero',
    claim_boundary: 'not_signal_not_advice_not_execution_not_performance',
    authority_grant_total: 0,
    synthetic: facts.sourceKinds.includes('simulated'),
    response_semantics: {
      contract_id: 'public_response_semantics.v1',
      response_state: state,
      status_text: facts.delayed === true ? `${DELAYED} ${facts.statusText}` : facts.statusText,
      auth_state: facts.auth,
      freshness_state: facts.freshness,
      availability_state: facts.availability,
      live_current: state === 'live' && facts.freshness === 'fresh' && facts.availability === 'available',
      source_current_only: facts.sourceCurrentOnly,
      stale: facts.freshness === 'stale',
      target_only: false,
      requires_api_key: facts.requiresApiKey,
      metered: facts.metered,
      authority_grant_total: 0,
    },
    product_scope: {
      included: 'Derived market-state packets and normalized market data rows.',
      data_context: 'Context for monitoring, replay, routing and review. Raw venue feeds are not delivered.',
      legal_disclosure: 'Not a trading signal, advice, an instruction or a claim about performance.',
    },
  };
}

export function toUtc(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** Null for 0, which means "never" between services. */
export function toUtcOrNull(instantMs: number): string | null {
  return instantMs === 0 ? null : toUtc(instantMs);
}

/** Between services, an absent text is empty. */
export function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

const LATEST_MS = 253_402_300_799_999;

/** RFC 3339 or whole milliseconds; null if neither. Truncates below a millisecond. */
export function parseInstant(text: string): number | null {
  if (/^\d{1,15}$/.test(text)) {
    const instantMs = Number(text);
    return instantMs <= LATEST_MS ? instantMs : null;
  }
  const instantMs = RFC_3339.test(text) ? parseUtcInstant(text) : undefined;
  return instantMs === undefined || instantMs < 0 ? null : instantMs;
}

export function isInstantOrEmpty(text: string): boolean {
  return text === '' || parseInstant(text) !== null;
}

const UNITS = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** Largest exact unit: `31 days`, `1 hour`, `90 seconds`. @param ms whole seconds */
export function inPeoplesUnits(ms: number): string {
  const [unitMs, name] = UNITS.find(([lengthMs]) => ms >= lengthMs && ms % lengthMs === 0) ?? [1_000, 'second'];
  const total = ms / unitMs;
  return `${total} ${name}${total === 1 ? '' : 's'}`;
}

type Named = Readonly<Record<string, unknown>>;

const NAMED_AS_MARKET = /"symbol":"[A-Z0-9]+USD-PERP@/;

/** JSON of an answer, in which objects name a market by `symbol` and `venue`. */
export function answerText(answer: unknown): string {
  const text = JSON.stringify(answer);
  return NAMED_AS_MARKET.test(text) ? JSON.stringify(answer, withSymbolAndVenue) : text;
}

function withSymbolAndVenue(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { symbol: key } = value as Named;
  if (typeof key !== 'string') return value;
  const { symbol, venue } = readMarket(key);
  if (venue === undefined) return value;
  const named: Named = 'venue' in value ? { symbol } : { symbol, venue };
  return Object.fromEntries(Object.entries(value).flatMap((field) => (field[0] === 'symbol' ? Object.entries(named) : [field])));
}
