import { words } from '@market-state/packet-figures';
import { WideTable } from '../../figures/wide-table';
import type { Evidence } from './packet-queries';
import styles from './packet.module.css';

interface ThresholdsProps {
  readonly thresholds: Evidence['thresholds'];
  readonly calibration: string;
}

const CLASS_WORDS: Readonly<Record<string, string>> = { crossed: 'crossed', near_threshold: 'near miss', below: 'below' };

/** Each threshold as a value, a line and the distance between them. */
export function Thresholds({ thresholds, calibration }: ThresholdsProps) {
  return (
    <section aria-label="Thresholds">
      <h2>Thresholds</h2>
      <p className={styles['soft']}>{calibration}</p>
      <WideTable label="Thresholds">
        <thead>
          <tr>
            <th scope="col">Score</th>
            <th scope="col">Line</th>
            <th scope="col" className={styles['number']}>
              Value
            </th>
            <th scope="col" className={styles['number']}>
              Threshold
            </th>
            <th scope="col" className={styles['number']}>
              Distance
            </th>
            <th scope="col" className={styles['wide']}>
              0 to 1
            </th>
            <th scope="col">Met</th>
            <th scope="col">From</th>
          </tr>
        </thead>
        <tbody>
          {thresholds.map(({ feature_id: id, composite, level, threshold, value, distance, crossing_class: crossing, source }) => (
            <tr key={id} data-met={crossing}>
              <th scope="row">{words(composite)}</th>
              <td>{words(level)}</td>
              <td className={styles['number']}>{value === null ? 'not reported' : value.toFixed(3)}</td>
              <td className={styles['number']}>{threshold.toFixed(3)}</td>
              <td className={styles['number']}>{distance === null ? '' : `${distance < 0 ? '−' : '+'}${Math.abs(distance).toFixed(3)}`}</td>
              <td className={styles['wide']}>
                <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" className={styles['score']}>
                  {value === null ? null : <rect x="0" y="2" width={100 * value} height="6" />}
                  <path d={`M${100 * threshold} 0V10`} />
                </svg>
              </td>
              <td>{crossing === null ? 'not reported' : (CLASS_WORDS[crossing] ?? words(crossing))}</td>
              <td className={styles['soft']}>{words(source)}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </section>
  );
}
