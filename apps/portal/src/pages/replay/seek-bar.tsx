import type { Schemas } from '@market-state/client';
import { duration, words as inWords } from '@market-state/packet-figures';
import { memo, useMemo } from 'react';
import { StateStrip } from '../../figures/state-strip';
import type { CompactPacket } from '../../packets/board';
import type { Span } from '../../service/url-span';
import { clock, clockBelow } from '../../time/clock';
import type { Chunk, Readings } from './chunks';
import { receiptWords } from './receipt-words';
import styles from './replay.module.css';

interface SeekBarProps {
  readonly span: Span;
  readonly packets: readonly CompactPacket[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly chunks: readonly Chunk[];
  readonly readings: Readings;
  readonly atMs: number;
  /** What is at the cursor, for those who do not see it. */
  readonly words: string;
  readonly onSeek: (ms: number) => void;
}

const percent = (share: number): string => `${(100 * share).toFixed(3)}%`;
const TENTH_MS = 100;

/** The whole span as a strip of states with its gaps, which chunks are read, and the cursor that can be moved over it. */
export function SeekBar({ span, packets, gaps, chunks, readings, atMs, words, onSeek }: SeekBarProps) {
  const { fromMs, toMs } = span;
  const share = (ms: number): number => (Math.min(toMs, Math.max(fromMs, ms)) - fromMs) / (toMs - fromMs);
  return (
    <div className={styles['seek']}>
      <div className={styles['track']}>
        <Strip span={span} packets={packets} />
        {gaps.map(({ gap_id: id, kind, channel, reason, start_utc: start, end_utc: end }) => {
          const [startMs, endMs] = [Date.parse(start), end === null ? toMs : Date.parse(end)];
          return (
            <i
              key={id}
              className={kind === 'seam' ? styles['seam'] : `${styles['loss'] ?? ''} gap`}
              style={{ left: percent(share(startMs)), ...(kind === 'seam' ? {} : { width: percent(share(endMs) - share(startMs)) }) }}
              title={`${inWords(reason)}, ${inWords(channel ?? 'all channels')}, ${clock(startMs, 'time')}, ${duration(endMs - startMs)}`}
            />
          );
        })}
        <input
          type="range"
          aria-label="Position in the span"
          aria-valuetext={`${clock(atMs, 'time')}, ${words}`}
          min={fromMs}
          max={toMs}
          step={TENTH_MS}
          value={atMs}
          onChange={({ target }) => onSeek(target.valueAsNumber)}
        />
      </div>
      <ol className={styles['chunks']} aria-label="Chunks that are read">
        {chunks.map((chunk) => {
          const reading = readings.get(chunk.index);
          const word = reading === undefined ? 'not read' : receiptWords(reading).word;
          return (
            <li
              key={chunk.index}
              data-word={word}
              style={{ flexGrow: chunk.endMs - chunk.startMs }}
              title={`${clock(chunk.startMs, 'time')}: ${word}`}
            >
              <span>{clockBelow(chunk.startMs, 'timeMinute')}</span>
              <span className={styles['word']}>{word}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

const Strip = memo(function Strip({ span: { fromMs, toMs }, packets }: Pick<SeekBarProps, 'span' | 'packets'>) {
  const readings = useMemo(
    () => packets.map(({ window_end_utc: end, state, state_label: label }) => ({ windowEndMs: Date.parse(end), state, stateLabel: label })),
    [packets],
  );
  return <StateStrip readings={readings} startMs={fromMs} endMs={toMs} label="States of the span" />;
});
