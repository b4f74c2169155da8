import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { utcDay } from '../../time/clock';
import { type BalanceLine, balanceLines } from './balance-by-day';
import { NAMES, whole } from './balances';
import styles from './usage.module.css';
import { useBalanceHistory } from './use-usage';

const BAR = 10;
const HEIGHT = 34;
/** Least height of a day that has something left. */
const SEEN = 1.5;
const FIGURES = ['granted', 'charged', 'expired'] as const;
const FIGURE_WORDS = { granted: 'Given', charged: 'Charged', expired: 'Expired' } as const;

/** What each day left of both kinds of credit, as bars and as a table, and what moved it. Of the whole tenant. */
export function BalanceHistory({ days }: { readonly days: number }) {
  const { data, error, refetch } = useBalanceHistory(days);
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Outline rows={3} label="Loading balances by day" />;
  const lines = balanceLines(data);
  if (lines.length === 0) return <Empty why="The tenant had no credits in this window." />;
  return (
    <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Balances by day">
      <table className={styles['spend']}>
        <thead>
          <tr>
            <th scope="col">Credits</th>
            <th scope="col">
              {utcDay(Date.parse(data.from_utc))} to {utcDay(Date.parse(data.to_utc))}, a bar a day
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
        <summary>The same as a table, by day</summary>
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
          {whole(atStart)} at the start, {whole(granted)} given, {whole(charged)} charged, {whole(expired)} expired
        </span>
      </td>
      <td className={styles['number']}>{whole(days.at(-1)?.left ?? atStart)}</td>
    </tr>
  );
}

/** Days before the first grant have nothing to show. */
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
