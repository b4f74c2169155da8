import { counted, words } from '@market-state/packet-figures';
import { ProblemNotice } from '../../status-components/problem-notice';
import records from '../../controls/records.module.css';
import { SpendButton } from '../../controls/spend-button';
import { service } from '../../service/client';
import { urlWord, useUrlState } from '../../service/url-state';
import sheet from '../../theme/sheet.module.css';
import { clockSpan } from '../../time/clock';
import styles from './alerts.module.css';
import { ruleWords } from './rule';
import { useRehearseWatchlist, type WatchlistRecord } from './use-alerts';

const HOURS = ['1', '6', '24', '168'] as const;
const HOUR_WORDS: Readonly<Record<(typeof HOURS)[number], string>> = { 1: 'hour', 6: '6 hours', 24: 'day', 168: '7 days' };
const NEWEST = urlWord(HOURS, '24');
const HOUR_MS = 3_600_000;

export function WatchlistRehearsal({ saved, hasChanges }: { readonly saved: WatchlistRecord; readonly hasChanges: boolean }) {
  const [hours, setHours] = useUrlState('newest_hours', NEWEST);
  const { mutate, data, isPending, error } = useRehearseWatchlist();
  const { watchlist_id: watchlistId } = saved;
  const rehearse = (): void => {
    const from = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
    mutate({ watchlist_id: watchlistId, from });
  };
  return (
    <section aria-label="Test the watchlist" className={styles['rehearsed']}>
      <div className={sheet['head']}>
        <h3>Would it have fired?</h3>
        <label>
          Last{' '}
          <select value={hours} onChange={({ target }) => setHours(NEWEST.read(target.value) ?? NEWEST.usual)}>
            {HOURS.map((each) => (
              <option key={each} value={each}>
                {HOUR_WORDS[each]}
              </option>
            ))}
          </select>
        </label>
        <SpendButton
          action="Test"
          busy="Testing…"
          creditsAtMost={service.creditsAtMost('rehearseWatchlist', { watchlist_id: watchlistId })}
          isBusy={isPending}
          charged={data?.charged ?? null}
          onPress={rehearse}
        />
      </div>
      {hasChanges ? <p className={sheet['soft']}>This tests the saved version, without your unsaved changes.</p> : null}
      {error === null ? null : <ProblemNotice error={error} />}
      {data === undefined ? null : <Outcome rehearsal={data.rehearsal} saved={saved} />}
    </section>
  );
}

type Rehearsal = NonNullable<ReturnType<typeof useRehearseWatchlist>['data']>['rehearsal'];

const COUNTS = [
  ['Fired', 'triggered'],
  ['Recovered', 'recovered'],
  ['Suppressed', 'suppressed'],
  ['Flapped', 'flaps'],
  ['Gaps', 'holes'],
] as const;

const messagesOf = ({ triggered, recovered }: Rehearsal['rules'][number]): number => triggered + recovered;
const hasNews = (rule: Rehearsal['rules'][number]): boolean => messagesOf(rule) + rule.suppressed > 0;

function Outcome({ rehearsal, saved }: { readonly rehearsal: Rehearsal; readonly saved: WatchlistRecord }) {
  const { rules, deliveries, market_state_credits: credits, packets_looked_at: packets, from_utc: from, to_utc: to } = rehearsal;
  const wordsOf = (ruleId: string | null): string => {
    const rule = saved.rules.find(({ rule_id: id }) => id === ruleId);
    return rule === undefined ? 'a removed rule' : ruleWords({ kind: rule.kind, params: { ...rule.params } });
  };
  const rows = [...rules].filter(hasNews).sort((a, b) => messagesOf(b) - messagesOf(a));
  const silent = rules.length - rows.length;
  return (
    <>
      <p role="status">
        From {clockSpan(Date.parse(from), Date.parse(to))}, over {counted(packets, 'packet')}:{' '}
        <b>{counted(deliveries, 'message')} to each endpoint</b>, {counted(credits, 'credit')} for each.
      </p>
      {rows.length === 0 ? null : (
        <table className={records['table']}>
          <caption className="visually-hidden">Messages by rule and symbol</caption>
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">Symbol</th>
              {COUNTS.map(([title]) => (
                <th key={title} scope="col" className={records['number']}>
                  {title}
                </th>
              ))}
              <th scope="col">At the end</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((rule) => (
              <tr key={`${rule.rule_index} ${rule.symbol}`}>
                <th scope="row">{wordsOf(rule.rule_id)}</th>
                <td data-column="Symbol">{rule.symbol}</td>
                {COUNTS.map(([title, name]) => (
                  <td key={title} data-column={title} className={records['number']}>
                    {rule[name].toLocaleString('en-US')}
                  </td>
                ))}
                <td data-column="At the end">{words(rule.state)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {silent === 0 ? null : (
        <p className={sheet['soft']}>
          {silent === 1 ? '1 rule and symbol' : `${silent.toLocaleString('en-US')} rules and symbols`} would have sent nothing.
        </p>
      )}
    </>
  );
}
