import { whole } from '../../market/numbers';
import { Table } from '../../controls/table';
import { words } from '@market-state/packet-figures';
import { useCredits } from '../../service/session';
import { clockBelow, zoned, utcDay } from '../../time/clock';
import styles from './usage.module.css';
import { type Usage, useBalanceHistory } from './use-usage';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { type BalanceLine, balanceLines } from './credits-by-day';

const BAR = 10;
const HEIGHT = 34;
/** Minimum bar height of a day with a balance. */
const SEEN = 1.5;
const FIGURES = [
  ['granted', 'Granted'],
  ['charged', 'Charged'],
  ['expired', 'Expired'],
  ['left', 'Left at its end'],
] as const;

/** Covers the whole tenant, not one key. */
export function BalanceHistory({ days }: { readonly days: number }) {
  const { data, error, refetch } = useBalanceHistory(days);
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Outline rows={3} label="Loading balances by day" />;
  const lines = balanceLines(data);
  if (lines.length === 0) return <Empty why="The tenant had no credits in this period." />;
  return (
    <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Balances by day">
      <Table
        className={styles['spend']}
        rows={lines}
        keyOf={({ kind }) => kind}
        columns={[
          { head: 'Credits', cell: ({ kind }) => NAMES[kind] },
          {
            head: `${utcDay(Date.parse(data.from_utc))} to ${utcDay(Date.parse(data.to_utc))}, one bar per day`,
            cell: (line) => <Bars line={line} />,
            cellClass: styles['bars'],
          },
          { head: 'Left', cell: ({ days: each, atStart }) => whole(each.at(-1)?.left ?? atStart), className: styles['number'] },
        ]}
      />
      <details>
        <summary>Daily values as a table</summary>
        {lines.map((line) => (
          <DayTable key={line.kind} line={line} />
        ))}
      </details>
    </div>
  );
}

/** One bar per day, on the scale of the highest value. */
export function DayBars({ values, most }: { readonly values: readonly number[]; readonly most: number }) {
  return (
    <svg viewBox={`0 0 ${values.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {values.map((value, day) => {
        const height = value === 0 ? 0 : Math.max(SEEN, (value / most) * HEIGHT);
        return <rect key={day} x={day * BAR + 1} width={BAR - 2} y={HEIGHT - height} height={height} />;
      })}
    </svg>
  );
}

function Bars({ line: { days, atStart, granted, charged, expired } }: { readonly line: BalanceLine }) {
  const values = days.map(({ left }) => left);
  return (
    <>
      <DayBars values={values} most={Math.max(1, ...values)} />
      <span className={styles['soft']}>
        {whole(atStart)} at start, {whole(granted)} granted, {whole(charged)} charged, {whole(expired)} expired
      </span>
    </>
  );
}

/** Days before the first grant are omitted. */
function hasCredits({ left, granted, charged, expired }: BalanceLine['days'][number]): boolean {
  return left + granted + charged + expired > 0;
}

function DayTable({ line: { kind, days } }: { readonly line: BalanceLine }) {
  return (
    <Table
      className={styles['table']}
      caption={NAMES[kind]}
      isCaptionShown
      rows={days.filter(hasCredits).toReversed()}
      keyOf={({ day }) => day}
      columns={[
        { head: 'Day, UTC', cell: ({ day }) => day },
        ...FIGURES.map(([name, head]) => ({
          head,
          cell: (day: BalanceLine['days'][number]) => whole(day[name]),
          className: styles['number'],
        })),
      ]}
    />
  );
}

const NAMES: Readonly<Record<string, string>> = { market_state: 'Market-state credits', export: 'Export credits' };

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
          <Table
            className={styles['table']}
            rows={grants}
            keyOf={(grant) => grant.grant_id}
            columns={[
              { head: 'Source', cell: (grant) => words(grant.source) },
              { head: 'Kind', cell: (grant) => words(grant.credit_kind) },
              { head: 'Left', cell: (grant) => whole(grant.left), className: styles['number'] },
              { head: 'Granted', cell: (grant) => whole(grant.amount), className: styles['number'] },
              {
                head: zoned('Expires'),
                cell: (grant) => (grant.expires_at_utc === null ? 'never' : clockBelow(grant.expires_at_utc, 'minute')),
              },
            ]}
          />
        </div>
      </details>
    </section>
  );
}
