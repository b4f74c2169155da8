import styles from './figures.module.css';
import { StateMark } from './state-mark';

interface ContestBarProps {
  readonly winner: string;
  readonly runnerUp: string;
  readonly labels: readonly [winner: string, runnerUp: string];
  /** Winner's score minus the runner-up's, 0 to 1. */
  readonly margin: number;
}

export function ContestBar({ winner, runnerUp, labels, margin }: ContestBarProps) {
  return (
    <span className={styles['contest']} title={`${labels[0]} ahead of ${labels[1]} by ${margin.toFixed(2)}`}>
      <span className={styles['value']}>{margin.toFixed(2)}</span>
      <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles['track']} x="0" y="3" width="100" height="6" />
        <rect className={styles['bar']} x="0" y="3" width={100 * Math.min(1, Math.max(0, margin))} height="6" />
      </svg>
      <span className={styles['pair']}>
        <StateMark state={winner} />
        <span className={styles['over']}>over</span>
        <StateMark state={runnerUp} />
        <span className={styles['name']}>{labels[1]}</span>
      </span>
    </span>
  );
}
