import { counted } from '@market-state/packet-figures';
import { useEffect, useEffectEvent } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { urlTime, useUrlSpan } from '../../service/url-span';
import { urlText, useUrlState, withUrlValue } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';
import { type Rule, urlRule, usualRule } from './rule';
import { RuleList } from './rule-list';
import { ruleOfSearch } from './rule-of-search';
import { RULES_CREDITS, useRules, useSavedSearch } from './use-alerts';
import { Workbench } from './workbench';

const HOUR_MS = 3_600_000;
const USUAL_SYMBOL = 'BTCUSD-PERP';
const TEXT = urlText();
const FIRST_RULE = usualRule('severity_at_least');

export default function AlertsPage() {
  const rules = useRules();
  const [, setParams] = useSearchParams();
  const [span, setSpan] = useUrlSpan(HOUR_MS, USUAL_SYMBOL);
  const [rule] = useUrlState('rule', urlRule);
  const [other] = useUrlState('other', urlRule);
  const rows = rules.data ?? [];
  const setBoth = (next: Rule, otherNext: Rule | null, onSymbol = span.symbol): void =>
    setParams(
      (before) => {
        const changed = withUrlValue(withUrlValue(before, 'rule', urlRule, next), 'other', urlRule, otherNext);
        changed.set('symbol', onSymbol);
        return changed;
      },
      { replace: true },
    );
  const take = (next: Rule, symbol: string): void => setBoth(next, null, symbol);
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Alerts</h1>
        {rules.data === undefined ? null : <span className={sheet['soft']}>{counted(rows.length, 'rule')}</span>}
        <span className={sheet['push']} />
        <button type="button" disabled={rules.isFetching} onClick={() => void rules.refetch()}>
          Look again
        </button>
        <span className={sheet['soft']}>costs {counted(RULES_CREDITS, 'credit')} at most</span>
      </div>
      {rules.error === null ? null : <ProblemNotice error={rules.error} retry={() => void rules.refetch()} />}
      {rules.isPending ? <Outline rows={4} label="Loading the rules" /> : null}
      {rules.data !== undefined && rows.length === 0 ? (
        <Empty why="No rule watches a market.">
          Choose one below and try it on the last hour: it says how often it would have woken you. Messages go to{' '}
          <Link href="/webhooks">your endpoints</Link>.
        </Empty>
      ) : null}
      {rows.length === 0 ? null : <RuleList rules={rows} onTry={take} />}
      <FromSearch isTaken={rule !== null} onTake={(next, symbol) => take(next, symbol ?? span.symbol)} />
      <div className={styles['panels']}>
        <Workbench
          rule={rule ?? FIRST_RULE}
          other={other}
          span={span}
          // A setting is of the same rule: with another kind it begins as that rule does.
          onRule={(next) =>
            setBoth(next, other === null || next.kind === other.kind ? other : { ...next, cooldownSeconds: other.cooldownSeconds })
          }
          onOther={(next) => setBoth(rule ?? FIRST_RULE, next)}
          onSpan={setSpan}
        />
      </div>
      <p className={sheet['note']}>
        A rule speaks of the description of a market, never of what to do. Its messages are sent once when it fires and once when it has
        recovered. This view: from {urlTime(span.fromMs)} to {urlTime(span.toMs)}.
      </p>
    </>
  );
}

interface FromSearchProps {
  readonly isTaken: boolean;
  readonly onTake: (rule: Rule, symbol: string | null) => void;
}

/** Fills the form from the saved search that the address names, once, as far as one rule can say it. */
function FromSearch({ isTaken, onTake }: FromSearchProps) {
  const [searchId] = useUrlState('from_search', TEXT);
  const search = useSavedSearch(searchId);
  const found = search.data === undefined ? null : ruleOfSearch({ ...search.data.query });
  const take = useEffectEvent(() => {
    if (!isTaken && found !== null && found.rule !== null) onTake(found.rule, found.symbol);
  });
  useEffect(() => {
    if (search.data !== undefined) take();
  }, [search.data]);
  if (search.error !== null) return <ProblemNotice error={search.error} retry={() => void search.refetch()} />;
  if (found === null) return null;
  return (
    <p className={sheet['note']} role="status">
      {found.rule === null
        ? `The saved search ${search.data?.name ?? ''} has no condition that a rule can have.`
        : `The rule below is of the saved search ${search.data?.name ?? ''}.`}
      {found.left.length === 0 ? '' : ` Left out, since a rule has one condition: ${found.left.join(', ').replaceAll('_', ' ')}.`}
    </p>
  );
}
