import { bulletOf, type ScoreReading } from '@market-state/packet-figures';
import styles from './figures.module.css';
import { StateMark } from './state-mark';

const LEVELS = { no_source: 'not reported', below_watch: 'below watch', watch: 'at watch', elevated: 'elevated' } as const;

export function BulletBar({ reading, name }: { readonly reading: ScoreReading; readonly name: string }) {
  const { score, watch, elevated, level } = bulletOf(reading);
  const value = (reading.score ?? 0).toFixed(2);
  const sentence = `${name} ${value}, ${LEVELS[level]}; watch from ${reading.watch.toFixed(2)}, elevated from ${reading.elevated.toFixed(2)}`;
  if (score === null)
    return (
      <span className={styles['absent']} title={`${name} is not reported in this packet.`}>
        not reported
      </span>
    );
  return (
    <span className={styles['bullet']} data-level={level} title={sentence}>
      <span className={styles['value']}>{value}</span>
      <svg viewBox="0 0 100 12" preserveAspectRatio="none" role="img" aria-label={sentence}>
        <rect className={styles['track']} x="0" y="3" width="100" height="6" />
        <rect className={styles['bar']} x="0" y="3" width={100 * score} height="6" />
        <path className={styles['line']} d={`M${100 * watch} 1V11M${100 * elevated} 1V11`} />
      </svg>
    </span>
  );
}

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
