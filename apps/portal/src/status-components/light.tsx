import styles from './conditions.module.css';

export type LightState = 'live' | 'fresh' | 'waiting' | 'stale' | 'off';

export function Light({ state, word }: { readonly state: LightState; readonly word: string }) {
  return (
    <span className={styles['light']}>
      <i className={styles[`light-${state}`]} aria-hidden="true" />
      {word}
    </span>
  );
}
