import { stateWord } from '@market-state/packet-figures';
import styles from './figures.module.css';

/** The swatch of a state: its hue and its mark. */
export function StateMark({ state }: { readonly state: string }) {
  return <i className={`${styles['swatch'] ?? ''} state-${stateWord(state)}`} aria-hidden="true" />;
}
