import styles from './conditions.module.css';

/** What a light can say: only data of a live venue that is fresh is `live`. */
export type LightState = 'live' | 'fresh' | 'waiting' | 'stale' | 'off';

/** A light with its word. Its shape says the same as its shade. */
export function Light({ state, word }: { readonly state: LightState; readonly word: string }) {
  return (
    <span className={styles['light']}>
      <i className={styles[`light-${state}`]} aria-hidden="true" />
      {word}
    </span>
  );
}
