import { words } from '@market-state/packet-figures';
import { StateMark } from '../../figures/state-mark';
import { StateStrip } from '../../figures/state-strip';
import { severityWord, stateLabel } from '../../packets/words';
import { clock } from '../../time/clock';
import styles from './home.module.css';
import type { ProofBrowser } from './home-queries';
import { useTape } from './use-tape';

type Row = ProofBrowser['public_packet_tape']['rows'][number];

const PACKET_MS = 10_000;

/** The newest packets that may be shown, oldest first, to play and to step through. */
export function PacketTape({ rows }: { readonly rows: readonly Row[] }) {
  const inOrder = [...rows].sort((a, b) => Date.parse(a.event_time_utc) - Date.parse(b.event_time_utc));
  const { at, isPlaying, toggle, seek } = useTape(inOrder.length);
  const row = inOrder[at];
  if (row === undefined) return null;
  const endMs = (each: Row | undefined): number => Date.parse(each?.event_time_utc ?? '');
  const [startMs, lastMs] = [endMs(inOrder[0]) - PACKET_MS, endMs(inOrder.at(-1))];
  return (
    <section className={styles['tape']} aria-label={`Tape of ${row.symbol}`}>
      <div className={styles['controls']}>
        <h3>Tape of {row.symbol}</h3>
        <button type="button" onClick={() => seek(at - 1)} disabled={at === 0}>
          Packet before
        </button>
        <button type="button" onClick={toggle} aria-pressed={isPlaying}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <button type="button" onClick={() => seek(at + 1)} disabled={at === inOrder.length - 1}>
          Packet after
        </button>
        <span className={styles['soft']}>
          {at + 1} of {inOrder.length}, window to {clock(endMs(row))}
        </span>
      </div>
      <div className={styles['reel']}>
        <StateStrip
          readings={inOrder.map(({ event_time_utc: end, state }) => ({
            windowEndMs: Date.parse(end),
            state,
            stateLabel: stateLabel(state),
          }))}
          startMs={startMs}
          endMs={lastMs}
          label={`States on the tape of ${row.symbol}`}
        />
        <i style={{ left: `${(100 * (endMs(row) - PACKET_MS / 2 - startMs)) / (lastMs - startMs)}%` }} aria-hidden="true" />
      </div>
      <input
        type="range"
        min={0}
        max={inOrder.length - 1}
        value={at}
        onChange={({ target }) => seek(Number(target.value))}
        aria-label="Packet on the tape"
        aria-valuetext={`${stateLabel(row.state)}, ${clock(endMs(row), 'time')}`}
      />
      <p className={styles['span']}>
        <span>{clock(startMs)}</span>
        <span>{clock(lastMs, 'time')}</span>
      </p>
      <p className={styles['state']}>
        <StateMark state={row.state} />
        <b>{row.title}</b>
      </p>
      <p>{row.summary}</p>
      <p className={styles['soft']}>
        Severity {row.severity_score.toFixed(2)}, {severityWord(row.severity_class)}; confidence {row.confidence_score.toFixed(2)},{' '}
        {row.confidence_label}; raw winner {stateLabel(row.state_synthesis.winner_state).toLowerCase()}, ahead by{' '}
        {row.state_synthesis.state_margin.toFixed(2)}; {words(row.source_quality_class)}.
      </p>
    </section>
  );
}
