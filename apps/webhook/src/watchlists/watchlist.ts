import { checkRule, type RuleSpec, type RuleState } from '@market-state/alert-rules';
import { type labeling, type marketData, webhook } from '@market-state/contracts';
import { type Fault, unknownSymbol } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { symbolFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import type { WakeUpNotifier } from '../delivery/wake-ups';
import type { InputDays } from '../store/inputs';

/** An alert is a watchlist with one symbol and one rule. */
export type WatchlistKind = 'watchlist' | 'alert';

export interface RecentTransition {
  readonly transition: number;
  readonly from: RuleState['state'];
  readonly to: RuleState['state'];
  readonly at_ms: number;
  readonly phase: string;
  readonly episode_id: string;
}

/** State of a rule on one symbol, with its last five transitions, newest first. */
export interface SymbolRuleState {
  readonly symbol: string;
  readonly standing: RuleState;
  readonly recent: readonly RecentTransition[];
}

export interface WatchedRule {
  readonly ruleId: string;
  readonly spec: RuleSpec;
  readonly standings: readonly SymbolRuleState[];
}

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

export interface WatchlistDeps {
  readonly pool: Pool;
  readonly inputDays: InputDays;
  readonly notifier: WakeUpNotifier;
  readonly marketData: GrpcClient<marketData.MarketDataServiceService>;
  readonly packets: GrpcClient<labeling.LabelingServiceService>;
  readonly clock: () => number;
}

const LIST_MAX = 20;

export function watchedFaults(symbols: readonly string[], kind: WatchlistKind): Fault[] {
  const field = 'symbols';
  const most = kind === 'alert' ? 1 : LIST_MAX;
  const faults: Fault[] = symbols.flatMap((symbol, index) => symbolFaults(symbol, `${field}[${index}]`));
  if (symbols.length < 1 || symbols.length > most) faults.push({ field, message: `must be 1 to ${most} symbols`, type: 'out_of_range' });
  if (new Set(symbols).size < symbols.length) faults.push({ field, message: 'must not repeat a symbol', type: 'duplicate' });
  return faults;
}

export function readRules(drafts: readonly webhook.RuleSpec[], kind: WatchlistKind): { rules: RuleSpec[]; faults: Fault[] } {
  const [least, most] = kind === 'alert' ? [1, 1] : [0, LIST_MAX];
  const rules: RuleSpec[] = [];
  const faults: Fault[] = [];
  if (drafts.length < least || drafts.length > most)
    faults.push({
      field: 'rules',
      message: kind === 'alert' ? 'must be exactly 1 rule' : `must be at most ${most} rules`,
      type: 'out_of_range',
    });
  drafts.forEach((draft, index) => {
    const checked = checkRule({ ...draft, params: draft.params ?? {} });
    if ('rule' in checked) rules.push(checked.rule);
    else
      for (const { path, message } of checked.faults)
        faults.push({ field: `rules[${index}]${pathText(path)}`, message, type: 'invalid_rule' });
  });
  return { rules, faults };
}

const pathText = (path: readonly (string | number)[]): string =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('');

/** @throws ServiceError `unknown_symbol`, with the served symbols */
export async function refuseUnserved({ marketData }: WatchlistDeps, symbols: readonly string[]): Promise<void> {
  if (symbols.length === 0) return;
  const { instruments } = await marketData.call.listInstruments({});
  const served = instruments.map(({ symbol }) => symbol);
  const strange = symbols.find((symbol) => !served.includes(symbol));
  if (strange !== undefined) throw unknownSymbol(strange, served);
}

export function kindOf(kind: webhook.WatchlistKind): WatchlistKind {
  return kind === webhook.WatchlistKind.ALERT ? 'alert' : 'watchlist';
}
