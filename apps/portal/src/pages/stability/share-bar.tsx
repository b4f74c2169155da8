import type { Schemas } from '@market-state/client';
import { percent, stateWord } from '@market-state/packet-figures';
import { stateLabel } from '../../packets/words';
import styles from './stability.module.css';

/** The states of a span by their share of its packets, side by side. */
export function ShareBar({ states }: { readonly states: readonly Schemas['StateStability'][] }) {
  const words = states.map(({ state, share }) => `${stateLabel(state)} ${percent(share ?? 0)}`);
  return (
    <div className={styles['shares']} role="img" aria-label={`Shares: ${words.join(', ')}.`}>
      {states.map(({ state, share }, index) => (
        <i key={state} className={`state-${stateWord(state)}`} style={{ flexGrow: share ?? 0 }} title={words[index]} />
      ))}
    </div>
  );
}
