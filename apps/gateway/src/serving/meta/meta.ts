import { loadPolicy } from '@market-state/labeler';
import { definitionsOf } from '@market-state/packet-views';
import type { Described } from '../openapi/described';

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
