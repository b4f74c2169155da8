import { words } from '@market-state/packet-figures';
import sheet from '../../theme/sheet.module.css';
import type { Lanes } from './how-queries';
import styles from './how.module.css';

const LONGEST_MS = 10_000;

/** On a scale of powers of ten, 1 ms to 10 s, so that a lane of 50 ms can be seen beside one of ten seconds. */
const widthOf = (ms: number): number => Math.min(100, Math.max(0, (100 * Math.log10(ms)) / Math.log10(LONGEST_MS)));

/** What each lane looks over, how long it may take, and whether the newest packet waits for it. */
export function ComputeLanes({ lanes }: { readonly lanes: Lanes }) {
  return (
    <table className={`${sheet['cards'] ?? ''} ${styles['lanes'] ?? ''}`}>
      <thead>
        <tr>
          <th scope="col">Lane</th>
          <th scope="col">Looks over</th>
          <th scope="col">May take at most, 1 ms to 10 s in powers of ten</th>
          <th scope="col">Newest packet waits for it</th>
          <th scope="col">As of</th>
        </tr>
      </thead>
      <tbody>
        {lanes.lanes.map(
          ({ lane_id: id, horizon, latency_budget_ms: budget, blocking_latest_route: isBlocking, staleness_policy: policy }) => (
            <tr key={id}>
              <th scope="row">
                {words(id)} {id === lanes.packet_producer_lane ? <span className={sheet['soft']}>makes the packet</span> : null}
              </th>
              <td data-column="looks over">{words(horizon)}</td>
              <td data-column="may take at most">
                <span className={styles['budget']}>
                  <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={widthOf(budget)} height="8" />
                  </svg>
                  <span>{budget.toLocaleString('en-US')} ms</span>
                </span>
              </td>
              <td data-column="newest packet waits for it">{isBlocking ? 'yes' : 'no'}</td>
              <td data-column="as of">{words(policy)}</td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}
