import { stateWord, STATE_STYLES } from '@market-state/packet-figures';
import styles from './figures.module.css';
import { stateLabel } from '../packets/words';

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

/** The swatch of a state: its hue and its mark. */
export function StateMark({ state }: { readonly state: string }) {
  return <i className={`${styles['swatch'] ?? ''} state-${stateWord(state)}`} aria-hidden="true" />;
}
