import { STATE_STYLES } from '@market-state/packet-figures';
import { stateLabel } from '../packets/words';
import styles from './figures.module.css';
import { StateMark } from './state-mark';

/** Which mark is which state, and how what is missing is drawn. */
export function StateLegend() {
  return (
    <ul className={styles['legend']} aria-label="Marks of states">
      {Object.keys(STATE_STYLES).map((state) => (
        <li key={state}>
          <StateMark state={state} />
          {stateLabel(state)}
        </li>
      ))}
      <li>
        <i className={`${styles['swatch'] ?? ''} gap`} aria-hidden="true" />
        missing packets, or none that reads the market
      </li>
      <li>
        <i className={`${styles['swatch'] ?? ''} no-packet`} aria-hidden="true" />
        no packet before the first one
      </li>
      <li>
        <i className={`${styles['swatch'] ?? ''} unread`} aria-hidden="true" />
        not loaded yet
      </li>
    </ul>
  );
}
