import { words } from '@market-state/packet-figures';
import { useCredits } from '../../service/session';
import { clockBelow, zoned, utcDay } from '../../time/clock';
import styles from './usage.module.css';
import { type Usage, useBalanceHistory } from './use-usage';
import { Empty, Outline } from '../../status-components/placeholder';
import { ProblemNotice } from '../../status-components/problem-notice';
import { type BalanceLine, balanceLines } from './credits-by-day';

const BAR = 10;
const HEIGHT = 34;
/** Minimum bar height of a day with a balance. */
const SEEN = 1.5;
const FIGURES = ['granted', 'charged', 'expired'] as const;
const FIGURE_WORDS = { granted: 'Granted', charged: 'Charged', expired: 'Expired' } as const;

/** Covers the whole tenant, not one key. */
export function BalanceHistory({ days }: { readonly days: number }) {
  const { data, error, refetch } = useBalanceHistory(days);
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Outline rows={3} label="Loading balances by day" />;
  const lines = balanceLines(data);
  if (lines.length === 0) return <Empty why="The tenant had no credits in this period." />;
  return (
    <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Balances by day">
      <table className={styles['spend']}>
        <thead>
          <tr>
            <th scope="col">Credits</th>
            <th scope="col">
              {utcDay(Date.parse(data.from_utc))} to {utcDay(Date.parse(data.to_utc))}, one bar per day
            </th>
            <th scope="col" className={styles['number']}>
              Left
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <LineRow key={line.kind} line={line} />
          ))}
        </tbody>
      </table>
      <details>
        <summary>Daily values as a table</summary>
        {lines.map((line) => (
          <DayTable key={line.kind} line={line} />
        ))}
      </details>
    </div>
  );
}

function LineRow({ line }: { readonly line: BalanceLine }) {
  const { kind, days, atStart, granted, charged, expired } = line;
  const most = Math.max(1, ...days.map(({ left }) => left));
  return (
    <tr>
      <th scope="row">{NAMES[kind]}</th>
      <td className={styles['bars']}>
        <svg viewBox={`0 0 ${days.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {days.map(({ day, left }, at) => {
            const height = left === 0 ? 0 : Math.max(SEEN, (left / most) * HEIGHT);
            return <rect key={day} x={at * BAR + 1} width={BAR - 2} y={HEIGHT - height} height={height} />;
          })}
        </svg>
        <span className={styles['soft']}>
          {whole(atStart)} at start, {whole(granted)} granted, {whole(charged)} charged, {whole(expired)} expired
        </span>
      </td>
      <td className={styles['number']}>{whole(days.at(-1)?.left ?? atStart)}</td>
    </tr>
  );
}

/** Days before the first grant are omitted. */
function hasCredits({ left, granted, charged, expired }: BalanceLine['days'][number]): boolean {
  return left + granted + charged + expired > 0;
}

function DayTable({ line: { kind, days } }: { readonly line: BalanceLine }) {
  return (
    <table className={styles['table']}>
      <caption>{NAMES[kind]}</caption>
      <thead>
        <tr>
          <th scope="col">Day, UTC</th>
          {FIGURES.map((name) => (
            <th key={name} scope="col" className={styles['number']}>
              {FIGURE_WORDS[name]}
            </th>
          ))}
          <th scope="col" className={styles['number']}>
            Left at its end
          </th>
        </tr>
      </thead>
      <tbody>
        {days
          .filter(hasCredits)
          .toReversed()
          .map((row) => (
            <tr key={row.day}>
              <th scope="row">{row.day}</th>
              {FIGURES.map((name) => (
                <td key={name} className={styles['number']}>
                  {whole(row[name])}
                </td>
              ))}
              <td className={styles['number']}>{whole(row.left)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

const NAMES: Readonly<Record<string, string>> = { market_state: 'Market-state credits', export: 'Export credits' };
export const whole = (credits: number): string => credits.toLocaleString('en-US');

export function Balances({ usage: { grants } }: { readonly usage: Usage }) {
  const credits = useCredits() ?? [];
  return (
    <section aria-label="Balances" className={styles['panel']}>
      <h2>Balances</h2>
      <div className={styles['balances']}>
        {credits.map(({ kind, left, reservedForExports, reservedForCalls, spentToday, spentThisMonth }) => (
          <dl key={kind}>
            <div className={styles['left']}>
              <dt>{NAMES[kind]} left</dt>
              <dd>{whole(left)}</dd>
            </div>
            <div>
              <dt>reserved for exports in progress</dt>
              <dd>{whole(reservedForExports)}</dd>
            </div>
            <div>
              <dt>reserved for calls in progress</dt>
              <dd>{whole(reservedForCalls)}</dd>
            </div>
            <div>
              <dt>spent today, UTC</dt>
              <dd>{whole(spentToday)}</dd>
            </div>
            <div>
              <dt>spent this month</dt>
              <dd>{whole(spentThisMonth)}</dd>
            </div>
          </dl>
        ))}
      </div>
      <details>
        <summary>Credit grants, in the order in which they are used</summary>
        <div className={styles['scroll']}>
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col">Source</th>
                <th scope="col">Kind</th>
                <th scope="col" className={styles['number']}>
                  Left
                </th>
                <th scope="col" className={styles['number']}>
                  Granted
                </th>
                <th scope="col">{zoned('Expires')}</th>
              </tr>
            </thead>
            <tbody>
              {grants.map((grant) => (
                <tr key={grant.grant_id}>
                  <th scope="row">{words(grant.source)}</th>
                  <td>{words(grant.credit_kind)}</td>
                  <td className={styles['number']}>{whole(grant.left)}</td>
                  <td className={styles['number']}>{whole(grant.amount)}</td>
                  <td>{grant.expires_at_utc === null ? 'never' : clockBelow(Date.parse(grant.expires_at_utc), 'minute')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
