import { Choice } from '../../controls/choice';
import type { Schemas } from '@market-state/client';
import { counted, duration, words as inWords } from '@market-state/packet-figures';
import { memo, useMemo, useCallback, useEffect, useEffectEvent, useState } from 'react';
import { type CompactPacket, readingOf } from '../../packets/live-markets';
import type { Span } from '../../service/url-state';
import { bareClock, zoneName, clock, clockBelow } from '../../time/clock';
import { type Chunk, chunkAt, isRead, type Readings, receiptWords } from './chunks';
import { stepFrom, SPEEDS, clamp, advance } from './cursor';
import styles from './replay.module.css';
import { CHUNK_CREDITS_MAX } from './use-readings';
import { percent, StateStrip } from '../../charts/state-strip';
import { useIsSeen } from '../../service/visibility';
import { drawEveryMs } from '../../theme/theme';

const DRAW_MS = 100;

interface PlayerProps {
  readonly bounds: { readonly fromMs: number; readonly toMs: number };
  readonly startMs: number;
  readonly speed: number;
  readonly readableTo: (ms: number) => number;
}

export interface Player {
  /** Exchange time in epoch milliseconds. */
  readonly atMs: number;
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  readonly pause: () => void;
  readonly seek: (ms: number) => void;
}

/** One cursor for all panes. It moves in exchange time at the chosen speed, over the data already read. */
export function usePlayer({ bounds, startMs, speed, readableTo }: PlayerProps): Player {
  const [atMs, setAtMs] = useState(startMs);
  const [isPlaying, setIsPlaying] = useState(false);
  const isSeen = useIsSeen();
  const { fromMs, toMs } = bounds;
  const moved = useEffectEvent((elapsedMs: number) => {
    const nextMs = advance(atMs, elapsedMs, speed, Math.min(toMs, readableTo(atMs)));
    setAtMs(nextMs);
    if (nextMs >= toMs) setIsPlaying(false);
  });
  useEffect(() => {
    if (!isSeen) setIsPlaying(false);
  }, [isSeen]);
  useEffect(() => {
    if (!isPlaying) return undefined;
    const everyMs = drawEveryMs(DRAW_MS);
    let drawnMs = performance.now();
    let frame = requestAnimationFrame(function tick(nowMs) {
      frame = requestAnimationFrame(tick);
      if (nowMs - drawnMs < everyMs) return;
      moved(nowMs - drawnMs);
      drawnMs = nowMs;
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);

  const seek = useCallback((ms: number) => setAtMs(clamp(ms, { fromMs, toMs })), [fromMs, toMs]);
  const pause = useCallback(() => setIsPlaying(false), []);
  const toggle = useCallback(() => {
    if (!isPlaying && atMs >= toMs) setAtMs(fromMs);
    setIsPlaying(!isPlaying);
  }, [isPlaying, atMs, fromMs, toMs]);
  return { atMs, isPlaying, toggle, pause, seek };
}

interface SeekBarProps {
  readonly span: Span;
  readonly packets: readonly CompactPacket[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly chunks: readonly Chunk[];
  readonly readings: Readings;
  readonly atMs: number;
  readonly words: string;
  readonly onSeek: (ms: number) => void;
}

const TENTH_MS = 100;

function SeekBar({ span, packets, gaps, chunks, readings, atMs, words, onSeek }: SeekBarProps) {
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
      <ol className={styles['chunks']} aria-label="Loaded chunks">
        {chunks.map((chunk) => {
          const reading = readings.get(chunk.index);
          const word = reading === undefined ? 'not loaded' : receiptWords(reading).word;
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
  const readings = useMemo(() => packets.map(readingOf), [packets]);
  return <StateStrip readings={readings} startMs={fromMs} endMs={toMs} label="States of the span" />;
});

interface TransportProps {
  readonly span: Span;
  readonly player: Player;
  readonly packets: readonly CompactPacket[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly chunks: readonly Chunk[];
  readonly readings: Readings;
  readonly speed: (typeof SPEEDS)[number];
  readonly onSpeed: (speed: (typeof SPEEDS)[number]) => void;
  readonly newest: CompactPacket | undefined;
}

export function Transport(props: TransportProps) {
  const { span, player, packets, gaps, chunks, readings, speed, onSpeed, newest } = props;
  const { atMs, isPlaying, toggle, seek } = player;
  return (
    <section aria-label="Replay" className={styles['transport']}>
      <div className={styles['controls']}>
        <button type="button" className={styles['play']} onClick={toggle}>
          {isPlaying ? 'Pause' : 'Play'} <kbd>space</kbd>
        </button>
        <button type="button" onClick={() => seek(stepFrom(packets, atMs, -1, span))}>
          Previous packet <kbd>[</kbd>
        </button>
        <button type="button" onClick={() => seek(stepFrom(packets, atMs, 1, span))}>
          Next packet <kbd>]</kbd>
        </button>
        <Choice label="Speed" value={speed} options={SPEEDS} say={(each) => `${each}×`} onChoose={onSpeed} />
        <time className={styles['clock']} dateTime={new Date(atMs).toISOString()}>
          {bareClock(atMs, 'day')} <b>{bareClock(atMs, 'timeTenth')}</b> {zoneName(atMs)}
        </time>
        <span className={styles['cost']}>{costWords(chunks, readings, atMs, isPlaying)}</span>
      </div>
      <SeekBar
        span={span}
        packets={packets}
        gaps={gaps}
        chunks={chunks}
        readings={readings}
        atMs={atMs}
        words={newest === undefined ? 'no packet yet' : newest.state_label}
        onSeek={seek}
      />
    </section>
  );
}

function costWords(chunks: readonly Chunk[], readings: Readings, atMs: number, isPlaying: boolean): string {
  const spent = [...readings.values()].reduce((total, { credits }) => total + credits, 0);
  const unread = chunks.filter((chunk) => chunk.endMs > atMs && !isRead(chunk, readings)).length;
  const here = chunkAt(chunks, atMs);
  const isWaiting = isPlaying && here !== undefined && readings.get(here.index)?.state === 'reading';
  const before = isWaiting ? 'loading the next 5 min; ' : '';
  const past = spent === 0 ? '' : `used ${counted(spent, 'credit')} so far; `;
  if (unread === 0) return `${before}${past}everything ahead is loaded: playing is free`;
  return `${before}${past}playing to the end loads ${counted(unread, 'chunk')}, at most ${counted(CHUNK_CREDITS_MAX, 'credit')} each`;
}
