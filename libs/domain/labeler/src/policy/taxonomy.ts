import type { TaxonomyFile, TaxonomyTerm, PolicyContent } from './content';
import type { Report } from './files';
import { SOURCE_FAMILIES, STATES, type GapFlag } from '../read';
import { COMPOSITES } from '../names';

/** Published words by kind (`states`, `event_classes`, …) and value. */
export interface Taxonomy {
  readonly kinds: ReadonlyMap<string, ReadonlyMap<string, TaxonomyTerm>>;
  /** @throws UnknownTermError if the taxonomy lacks the word: such a packet must not be made */
  readonly term: (kind: string, value: string) => TaxonomyTerm;
}

export class UnknownTermError extends Error {
  constructor(
    readonly kind: string,
    readonly value: string,
  ) {
    super(`"${value}" is not in the taxonomy's ${kind}`);
    this.name = 'UnknownTermError';
  }
}

/** Words by kind (`states`, `event_classes`, …) and value. */
const BINDINGS: Readonly<Record<string, string>> = {
  states: 'feature_families',
  event_classes: 'event_profiles',
  drivers: 'feature_families',
  tag_families: 'feature_families',
};

export function compileTaxonomy(file: TaxonomyFile, report: Report): Taxonomy {
  const kinds = new Map<string, ReadonlyMap<string, TaxonomyTerm>>();
  for (const [kind, terms] of Object.entries(file)) {
    const byValue = new Map<string, TaxonomyTerm>();
    terms.forEach((term, i) => {
      if (byValue.has(term.value)) report(`/${kind}/${i}/value`, `("${term.value}") appears twice`);
      byValue.set(term.value, term);
    });
    kinds.set(kind, byValue);
  }
  for (const [kind, target] of Object.entries(BINDINGS)) {
    (file[kind] ?? []).forEach((term, i) => {
      if (!kinds.get(target)?.has(term.binding ?? ''))
        report(`/${kind}/${i}/binding`, `("${term.binding ?? ''}") is not one of the ${target}`);
    });
  }
  return {
    kinds,
    term: (kind, value) => {
      const term = kinds.get(kind)?.get(value);
      if (term === undefined) throw new UnknownTermError(kind, value);
      return term;
    },
  };
}

const GAP_FLAGS = [
  'book_gap',
  'trade_gap',
  'context_stale',
  'liquidation_proxy_only',
  'feed_reconnected',
  'recording_seam',
  'late_events',
] as const satisfies readonly GapFlag[];

/** Words that labeler code emits: a taxonomy without them would reject valid packets. */
const WRITTEN_WORDS: Readonly<Record<string, readonly string[]>> = {
  states: STATES,
  event_classes: [
    'retained_context_only',
    'bid_pressure_confirmed_by_buy_flow',
    'ask_pressure_confirmed_by_sell_flow',
    'bid_depth_absorption_against_sell_flow',
    'ask_depth_absorption_against_buy_flow',
    'trade_flow_leading_visible_book',
    'visible_depth_pressure_without_trade_confirmation',
    'funding_oi_crowding_context',
    'balanced_two_sided_context',
  ],
  event_profiles: [
    'retained_context',
    'flow_confirmed_pressure',
    'contra_flow_absorption',
    'trade_flow_lead',
    'depth_only_pressure',
    'crowding_context',
    'routine_context',
  ],
  directions: [
    'no_current_read',
    'book_pressure_and_trade_flow_confirmed',
    'sell_flow_absorbed_by_bid_liquidity',
    'buy_flow_absorbed_by_ask_liquidity',
    'aggressive_buy_flow',
    'aggressive_sell_flow',
    'bid_heavy_depth',
    'ask_heavy_depth',
    'open_interest_context_attached',
    'no_dominant_side',
  ],
  severity_classes: ['routine_context', 'elevated_context', 'high_context', 'critical_context'],
  diagnosis_classes: ['contested_context_review', 'active_context_read', 'competing_state_read'],
  transition_types: ['lineage_context_pending', 'state_changed', 'same_state_new_context', 'state_reaffirmed'],
  confidence_labels: ['low', 'medium', 'high'],
  quality_classes: ['strong', 'usable', 'limited'],
  gap_flags: GAP_FLAGS,
  source_families: SOURCE_FAMILIES,
  source_statuses: ['resolved', 'partial', 'missing'],
  drivers: [...COMPOSITES, 'movement', 'thin_depth', 'none'],
  threshold_sources: ['policy_default', 'symbol_rolling_quantile'],
  source_kinds: ['live', 'recorded', 'simulated'],
  rejection_reasons: [
    'outscored',
    'tie_lost_to_higher_row',
    'score_zero',
    'source_missing',
    'not_measurable',
    'not_triggered',
    'overridden_by_source_state',
    'not_open',
  ],
  publication_rules: ['first_packet', 'winner_is_published', 'changed_to_winner', 'changed_on_release', 'held_by_dwell'],
};

export function checkWords({ taxonomy: file, numbers }: PolicyContent, taxonomy: Taxonomy, report: Report): void {
  for (const [kind, words] of Object.entries(WRITTEN_WORDS)) {
    for (const word of words) if (!taxonomy.kinds.get(kind)?.has(word)) report(`/${kind}`, `lacks "${word}", which packets contain`);
  }
  (file['states'] ?? []).forEach(({ value }, i) => {
    if (!(value in numbers.state_composites)) report(`/states/${i}/value`, `("${value}") has no entry in state_composites of numbers.json`);
  });
}
