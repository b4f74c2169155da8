import { duration, type StateReading } from '@market-state/packet-figures';
import { clockSpan } from '../time/clock';
import { useZone } from '../time/zone';
import styles from './figures.module.css';
import { isUnknown, stripParts, type TimeSpan, UNKNOWN_PARTS, type UnknownPart } from './strip-parts';

interface StateStripProps {
  readonly readings: readonly StateReading[];
  readonly startMs: number;
  readonly endMs: number;
  readonly unread?: readonly TimeSpan[];
  /** Spans that miss no packet but are not drawn packet by packet. */
  readonly omitted?: readonly TimeSpan[];
  readonly label: string;
}

const UNKNOWN_CLASS: Readonly<Record<UnknownPart, string>> = {
  missing: 'gap',
  unread: 'unread',
  omitted: 'omitted',
  'no-packet': 'no-packet',
};

/** CSS length of a share of a strip. */
export const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;

/** Published states over a span; parts without a state have a pattern for each reason. */
export function StateStrip({ readings, startMs, endMs, unread, omitted, label }: StateStripProps) {
  useZone();
  const parts = stripParts(readings, startMs, endMs, unread, omitted);
  const states = new Set(parts.filter(({ word }) => !isUnknown(word)).map(({ label: each }) => each));
  const unknown = (Object.keys(UNKNOWN_PARTS) as UnknownPart[]).flatMap((word) => {
    const lastedMs = parts.filter((part) => part.word === word).reduce((total, { width }) => total + width * (endMs - startMs), 0);
    return lastedMs === 0 ? [] : [`; ${duration(lastedMs)} ${UNKNOWN_PARTS[word]}`];
  });
  return (
    <div className={styles['strip']} role="img" aria-label={`${label}: ${[...states].join(', ') || 'no packets'}${unknown.join('')}`}>
      {parts.map(({ at, width, word, label: state, startMs: from, endMs: to }) => (
        <i
          key={from}
          className={isUnknown(word) ? UNKNOWN_CLASS[word] : `state-${word}`}
          style={{ left: percent(at), width: percent(width) }}
          title={`${state}, ${clockSpan(from, to, 'time')}`}
        />
      ))}
    </div>
  );
}
