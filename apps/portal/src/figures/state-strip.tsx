import { duration, stripOf, type StateReading } from '@market-state/packet-figures';
import { clockSpan } from '../time/clock';
import { useZone } from '../time/zone';
import styles from './figures.module.css';

interface StateStripProps {
  readonly readings: readonly StateReading[];
  readonly startMs: number;
  readonly endMs: number;
  /** What the strip is of, for those who do not see it. */
  readonly label: string;
}

const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;

/** Published states over a span, each as wide as it lasted; what no packet covers is hatched. */
export function StateStrip({ readings, startMs, endMs, label }: StateStripProps) {
  useZone();
  const parts = stripOf(readings, startMs, endMs);
  const states = new Set(parts.filter(({ word }) => word !== 'missing').map(({ label: each }) => each));
  const missingMs = parts.filter(({ word }) => word === 'missing').reduce((total, part) => total + part.width * (endMs - startMs), 0);
  const missing = missingMs === 0 ? '' : `; ${duration(missingMs)} without packets`;
  return (
    <div className={styles['strip']} role="img" aria-label={`${label}: ${[...states].join(', ') || 'no packets'}${missing}`}>
      {parts.map(({ at, width, word, label: state, startMs: from, endMs: to }) => (
        <i
          key={from}
          className={word === 'missing' ? 'gap' : `state-${word}`}
          style={{ left: percent(at), width: percent(width) }}
          title={`${state}, ${clockSpan(from, to, 'time')}`}
        />
      ))}
    </div>
  );
}
