import { utc, words } from '@market-state/packet-figures';
import { ProblemNotice } from '../../conditions/problem-notice';
import records from '../../controls/records.module.css';
import { fromRecord, type Rule, ruleWords, settingWords } from './rule';
import { type ListedRule, useDeleteAlert, useMuteRule } from './use-alerts';

interface RuleListProps {
  readonly rules: readonly ListedRule[];
  readonly onTry: (rule: Rule, symbol: string) => void;
}

/** A row a rule: what it looks at, and where it stands on each symbol. At phone width each row becomes a card. */
export function RuleList({ rules, onTry }: RuleListProps) {
  const mute = useMuteRule();
  const remove = useDeleteAlert();
  const error = mute.error ?? remove.error;
  return (
    <>
      {error === null ? null : <ProblemNotice error={error} />}
      <table className={records['table']}>
        <caption className="visually-hidden">Rules, those of alerts first</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Wakes when</th>
            <th scope="col">Now</th>
            <th scope="col">Last changes, UTC</th>
            <th scope="col">
              <span className="visually-hidden">What can be done</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rules.map((listed) => (
            <tr key={listed.rule.rule_id} data-off={listed.muted}>
              <th scope="row">
                {listed.name} {listed.muted ? <span className={records['mark']}>muted</span> : null}
                <span className={records['more']}>{listed.isAlert ? 'alert' : 'of a watchlist'}</span>
              </th>
              <td data-column="Wakes when">
                {ruleWords({ kind: listed.rule.kind, params: { ...listed.rule.params } })}
                <span className={records['more']}>
                  {settingWords({ minConsecutive: listed.rule.min_consecutive, cooldownSeconds: listed.rule.cooldown_seconds })}
                </span>
              </td>
              <td data-column="Now">
                {listed.rule.standings.map((standing) => (
                  <div key={standing.symbol}>
                    {standing.symbol}: <b>{words(standing.state)}</b>
                    {standing.stale ? ', no packet for over 60 s' : ''}
                    <span className={records['more']}>
                      {standing.since_utc === null ? 'no packet yet' : `since ${utc(Date.parse(standing.since_utc))}`}
                    </span>
                  </div>
                ))}
              </td>
              <td data-column="Last changes, UTC">
                <Changes listed={listed} />
              </td>
              <td className={records['acts']}>
                <TryButton listed={listed} onTry={onTry} />
                <button
                  type="button"
                  disabled={mute.isPending}
                  onClick={() => mute.mutate(listed)}
                  aria-label={`${listed.muted ? 'Unmute' : 'Mute'} ${listed.name}`}
                >
                  {listed.muted ? 'Unmute' : 'Mute'}
                </button>
                {listed.isAlert ? (
                  <button
                    type="button"
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(listed.ownerId)}
                    aria-label={`Delete ${listed.name}`}
                  >
                    Delete
                  </button>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Changes that are shown of a rule, of all its symbols together. */
const CHANGES_MAX = 3;

function Changes({ listed: { rule } }: { readonly listed: ListedRule }) {
  const changes = rule.standings
    .flatMap(({ symbol, transitions }) => transitions.map((transition) => ({ symbol, ...transition })))
    .sort((a, b) => b.at_utc.localeCompare(a.at_utc))
    .slice(0, CHANGES_MAX);
  if (changes.length === 0) return 'none yet';
  return changes.map(({ symbol, at_utc: at, from_state: from, to_state: to, phase }) => (
    <div key={`${symbol} ${at} ${to}`}>
      {utc(Date.parse(at)).slice(5)} {from} to {to}
      {phase === null ? '' : `, ${phase}`}
    </div>
  ));
}

function TryButton({ listed, onTry }: { readonly listed: ListedRule; readonly onTry: RuleListProps['onTry'] }) {
  const rule = fromRecord(listed.rule);
  const symbol = listed.rule.standings[0]?.symbol;
  if (rule === null || symbol === undefined) return null;
  return (
    <button type="button" onClick={() => onTry(rule, symbol)} aria-label={`Rehearse ${listed.name}`}>
      Rehearse
    </button>
  );
}
