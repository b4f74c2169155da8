import { counted } from '@market-state/packet-figures';
import { whole } from './balances';
import type { SpendLine } from './credits-by-day';
import styles from './usage.module.css';

interface SpendChartProps {
  readonly lines: readonly SpendLine[];
  readonly sum: SpendLine;
  readonly days: readonly string[];
  /** What a line is: a family, or who spent. */
  readonly of: string;
}

const BAR = 10;
const HEIGHT = 34;
/** Least height of a day that has spent anything. */
const SEEN = 1.5;

/** Bars of each day, a row a line, all on the scale of the sum; the same as a table below. */
export function SpendChart({ lines, sum, days, of }: SpendChartProps) {
  const most = Math.max(1, ...sum.days);
  return (
    <>
      <table className={styles['spend']}>
        <caption className="visually-hidden">
          Credits by {of} from {days[0]} to {days.at(-1)}; the most on a day is {whole(most)}
        </caption>
        <thead>
          <tr>
            <th scope="col">{of === 'family' ? 'Family' : 'Who'}</th>
            <th scope="col">
              {days[0]} to {days.at(-1)}, a bar a day, {counted(most, 'credit')} high
            </th>
            <th scope="col" className={styles['number']}>
              Credits
            </th>
            <th scope="col" className={styles['number']}>
              Calls
            </th>
          </tr>
        </thead>
        <tbody>
          {[sum, ...lines].map((line) => (
            <tr key={line.id} data-sum={line.id === sum.id}>
              <th scope="row">{line.name}</th>
              <td className={styles['bars']}>
                <svg viewBox={`0 0 ${days.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
                  {line.days.map((credits, day) =>
                    credits === 0 ? null : (
                      <rect
                        key={days[day]}
                        x={day * BAR + 1}
                        width={BAR - 2}
                        y={HEIGHT - Math.max(SEEN, (credits / most) * HEIGHT)}
                        height={Math.max(SEEN, (credits / most) * HEIGHT)}
                      />
                    ),
                  )}
                </svg>
              </td>
              <td className={styles['number']}>{whole(line.total)}</td>
              <td className={styles['number']}>{whole(line.calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>The same as a table, by day</summary>
        <div className={styles['scroll']}>
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col">Day, UTC</th>
                {[sum, ...lines].map(({ id, name }) => (
                  <th key={id} scope="col" className={styles['number']}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days
                .map((day, index) => (
                  <tr key={day}>
                    <th scope="row">{day}</th>
                    {[sum, ...lines].map(({ id, days: credits }) => (
                      <td key={id} className={styles['number']}>
                        {whole(credits[index] ?? 0)}
                      </td>
                    ))}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
