import type { RuleSpec, Standing } from '@market-state/alert-rules';

/** An alert is a watchlist of one symbol and one rule. */
export type WatchlistKind = 'watchlist' | 'alert';

/** A change of state of a rule on a symbol, as the evaluator keeps it. */
export interface KeptTransition {
  readonly transition: number;
  readonly from: Standing['state'];
  readonly to: Standing['state'];
  readonly at_ms: number;
  readonly phase: string;
  readonly episode_id: string;
}

/** Where a rule stands on one symbol, with its last five transitions, newest first. */
export interface RuleStanding {
  readonly symbol: string;
  readonly standing: Standing;
  readonly recent: readonly KeptTransition[];
}

export interface WatchedRule {
  readonly ruleId: string;
  readonly spec: RuleSpec;
  readonly standings: readonly RuleStanding[];
}

/** Symbols and rules under a name. Times are milliseconds since the epoch. */
export interface Watchlist {
  readonly watchlistId: string;
  readonly tenantId: string;
  readonly kind: WatchlistKind;
  readonly name: string;
  readonly symbols: readonly string[];
  readonly muted: boolean;
  readonly createdMs: number;
  readonly updatedMs: number;
  readonly rules: readonly WatchedRule[];
}
