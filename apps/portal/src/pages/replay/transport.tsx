import type { Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import type { CompactPacket } from '../../packets/board';
import type { Span } from '../../service/url-span';
import { bareClock, zoneName } from '../../time/clock';
import { type Chunk, chunkAt, isRead, type Readings } from './chunks';
import { stepFrom } from './cursor';
import { SPEEDS } from './pace';
import styles from './replay.module.css';
import { SeekBar } from './seek-bar';
import type { Player } from './use-player';
import { CHUNK_CREDITS_MAX } from './use-readings';

interface TransportProps {
  readonly span: Span;
  readonly player: Player;
  readonly packets: readonly CompactPacket[];
  readonly gaps: readonly Schemas['Gap'][];
  readonly chunks: readonly Chunk[];
  readonly readings: Readings;
  readonly speed: (typeof SPEEDS)[number];
  readonly onSpeed: (speed: (typeof SPEEDS)[number]) => void;
  /** The newest packet at the cursor. */
  readonly newest: CompactPacket | undefined;
}

/** What moves the cursor, where it is, and what moving it costs; it stays in sight. */
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
          Packet before <kbd>[</kbd>
        </button>
        <button type="button" onClick={() => seek(stepFrom(packets, atMs, 1, span))}>
          Packet after <kbd>]</kbd>
        </button>
        <label>
          Speed{' '}
          <select value={speed} onChange={({ target }) => onSpeed(target.value as typeof speed)}>
            {SPEEDS.map((each) => (
              <option key={each} value={each}>
                {each}×
              </option>
            ))}
          </select>
        </label>
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

/** What reading has cost, and what playing on costs at most. */
function costWords(chunks: readonly Chunk[], readings: Readings, atMs: number, isPlaying: boolean): string {
  const spent = [...readings.values()].reduce((total, { credits }) => total + credits, 0);
  const unread = chunks.filter((chunk) => chunk.endMs > atMs && !isRead(chunk, readings)).length;
  const here = chunkAt(chunks, atMs);
  const isWaiting = isPlaying && here !== undefined && readings.get(here.index)?.state === 'reading';
  const before = isWaiting ? 'reading the next 5 min; ' : '';
  const past = spent === 0 ? '' : `read for ${counted(spent, 'credit')}; `;
  if (unread === 0) return `${before}${past}all ahead is read: playing it costs nothing`;
  return `${before}${past}playing on to the end reads ${counted(unread, 'chunk')}, at most ${counted(CHUNK_CREDITS_MAX, 'credit')} each`;
}
