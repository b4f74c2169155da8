import type { Schemas } from '@market-state/client';
import { counted, duration, percent } from '@market-state/packet-figures';
import { StateMark } from '../../figures/state-mark';
import { stateLabel } from '../../packets/words';
import styles from './stability.module.css';

type State = Schemas['StateStability'];

/** Each state: its share, how long it lasts, how often it is left, how near thresholds it is, and what readers said of it. */
export function StateTable({ states }: { readonly states: readonly State[] }) {
  return (
    <table className={styles['table']}>
      <caption className="visually-hidden">Published states, the most frequent first</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          {COLUMNS.map(([title]) => (
            <th key={title} scope="col" className={styles['number']}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {states.map((state) => (
          <tr key={state.state}>
            <th scope="row">
              <StateMark state={state.state} /> {stateLabel(state.state)}
            </th>
            {COLUMNS.map(([title, value]) => (
              <td key={title} data-column={title} className={styles['number']}>
                {value(state)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const COLUMNS: readonly (readonly [title: string, value: (state: State) => string])[] = [
  ['Share', ({ share }) => (share === null ? 'not reported' : percent(share))],
  ['Packets', ({ packet_total: total }) => total.toLocaleString('en-US')],
  ['Spells', ({ span_total: total }) => total.toLocaleString('en-US')],
  ['Dwell, median', ({ dwell_seconds: { median } }) => dwell(median)],
  ['Mean', ({ dwell_seconds: { mean } }) => dwell(mean)],
  ['Longest', ({ dwell_seconds: { longest } }) => dwell(longest)],
  ['Left, an hour', ({ flips_per_hour: perHour }) => (perHour === null ? 'not reported' : perHour.toFixed(1))],
  ['Near a threshold', ({ near_threshold_share: share }) => (share === null ? 'not reported' : percent(share))],
  ['Called useful', ({ feedback }) => agreementWords(feedback)],
];

/** A spell that the span or a missing packet cuts off has no whole duration. */
function dwell(seconds: number | null): string {
  return seconds === null ? 'none whole' : duration(seconds * 1_000);
}

function agreementWords({ agreement_share: share, feedback_total: total }: State['feedback']): string {
  return share === null ? 'no feedback' : `${percent(share)} of ${counted(total, 'judgement')}`;
}
