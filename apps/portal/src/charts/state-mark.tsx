import { stateWord, STATE_STYLES } from '@market-state/packet-figures';
import styles from './figures.module.css';
import { stateLabel } from '../packets/words';

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
        packets missing or without market data
      </li>
      <li>
        <i className={`${styles['swatch'] ?? ''} no-packet`} aria-hidden="true" />
        before the first packet
      </li>
      <li>
        <i className={`${styles['swatch'] ?? ''} unread`} aria-hidden="true" />
        not loaded yet
      </li>
    </ul>
  );
}

export function StateMark({ state }: { readonly state: string }) {
  return <i className={`${styles['swatch'] ?? ''} state-${stateWord(state)}`} aria-hidden="true" />;
}

export function StateName({ state }: { readonly state: string }) {
  return (
    <>
      <StateMark state={state} /> {stateLabel(state)}
    </>
  );
}
