import type { Data } from '@market-state/client';
import { duration, percent, words } from '@market-state/packet-figures';
import { Fragment } from 'react';
import { StateMark } from '../charts/state-mark';
import { Scroll } from '../controls/table';
import sheet from '../theme/sheet.module.css';
import styles from './market.module.css';

export function Lanes({ lanes }: { readonly lanes: Data<'getPacketWorkbench'>['packet']['compute_lanes'] }) {
  return (
    <section aria-label="Lanes">
      <h2>Lanes: the same market over longer horizons</h2>
      <Scroll label="Lanes">
        <table>
          <thead>
            <tr>
              <th scope="col">Lane</th>
              <th scope="col">State, share</th>
              <th scope="col" className={sheet['number']}>
                Confidence
              </th>
              <th scope="col" className={sheet['number']}>
                Samples
              </th>
              <th scope="col" className={sheet['number']}>
                Age
              </th>
            </tr>
          </thead>
          <tbody>
            {lanes.map((lane) => (
              <Fragment key={lane.lane_id}>
                <tr className={styles['lane']}>
                  <th scope="row">
                    {words(lane.lane_id)} <span className={sheet['soft']}>{words(lane.horizon)}</span>
                  </th>
                  <td className={styles['laneState']}>
                    <StateMark state={lane.state} /> {lane.state_label}{' '}
                    <span className={sheet['soft']}>
                      {lane.state_share === undefined || lane.state_share === null ? '' : percent(lane.state_share)}
                    </span>
                  </td>
                  <td className={sheet['number']}>{lane.confidence.score.toFixed(2)}</td>
                  <td className={sheet['number']}>{lane.sample_total}</td>
                  <td className={sheet['number']}>{lane.freshness_ms === null ? '' : duration(lane.freshness_ms)}</td>
                </tr>
                <tr>
                  <td colSpan={5} className={`${sheet['soft'] ?? ''} ${styles['laneSummary'] ?? ''}`}>
                    {lane.reasons.join(' ')}
                  </td>
                </tr>
              </Fragment>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
