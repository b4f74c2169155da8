import { words } from '@market-state/packet-figures';
import records from '../../controls/records.module.css';
import { clockBelow } from '../../time/clock';
import { ruleWords, settingWords } from './rule';
import type { AlertRecord } from './use-alerts';

type RuleRecord = AlertRecord['rule'];

/** What a saved rule looks at, and when it is told. */
export function SavedRule({ rule }: { readonly rule: RuleRecord }) {
  return (
    <>
      {ruleWords({ kind: rule.kind, params: { ...rule.params } })}
      <span className={records['more']}>
        {settingWords({ minConsecutive: rule.min_consecutive, cooldownSeconds: rule.cooldown_seconds })}
      </span>
    </>
  );
}

/** Where a rule stands on each of its symbols. */
export function Standings({ rule }: { readonly rule: RuleRecord }) {
  return rule.standings.map(({ symbol, state, stale, since_utc: since }) => (
    <div key={symbol}>
      {symbol}: <b>{words(state)}</b>
      {stale ? ', no packet for over 60 s' : ''}
      <span className={records['more']}>{since === null ? 'no packet yet' : `since ${clockBelow(Date.parse(since))}`}</span>
    </div>
  ));
}

/** Changes that are shown of a rule, of all its symbols together. */
const CHANGES_MAX = 3;

/** The last changes of a rule. */
export function LastChanges({ rule }: { readonly rule: RuleRecord }) {
  const changes = rule.standings
    .flatMap(({ symbol, transitions }) => transitions.map((transition) => ({ symbol, ...transition })))
    .sort((a, b) => b.at_utc.localeCompare(a.at_utc))
    .slice(0, CHANGES_MAX);
  if (changes.length === 0) return 'none yet';
  return changes.map(({ symbol, at_utc: at, from_state: from, to_state: to, phase }) => (
    <div key={`${symbol} ${at} ${to}`}>
      {clockBelow(Date.parse(at), 'monthSecond')} {from} to {to}
      {phase === null ? '' : `, ${phase}`}
    </div>
  ));
}
