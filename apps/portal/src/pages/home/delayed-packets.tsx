import { utc, type StateReading } from '@market-state/packet-figures';
import { AnswerSection } from '../../conditions/answer-section';
import { Empty } from '../../conditions/empty';
import { StateLegend } from '../../figures/state-legend';
import { StateStrip } from '../../figures/state-strip';
import { stateLabel } from '../../packets/words';
import styles from './home.module.css';
import { type ProofBrowser, useDelayedPackets } from './home-queries';

const PACKET_MS = 10_000;

/** Packets of this service, at least ten minutes old: the newest of them, and those around the most telling ones. */
export function DelayedPackets() {
  return (
    <AnswerSection
      title="Packets of this service, ten minutes old"
      query={useDelayedPackets()}
      checkedUtc={({ generated_at_utc: at }) => at}
      show={(preview) => <Strips preview={preview} />}
    />
  );
}

function Strips({ preview }: { readonly preview: ProofBrowser }) {
  const newest = preview.public_packet_tape.rows.map(({ event_time_utc: at, state }) => readingOf(at, state, stateLabel(state)));
  if (newest.length === 0) return <Empty why="No packet is ten minutes old yet: this service has just begun." />;
  return (
    <>
      <p className={styles['soft']}>{preview.meta.response_semantics.status_text}</p>
      <ul className={styles['strips']}>
        <Strip title={`Newest of ${preview.symbol}`} readings={newest} />
        {preview.public_packet_lineage_stories.map(({ event_id: id, symbol, title, summary, timeline_rows: rows }) => (
          <Strip
            key={id}
            title={`${symbol}. ${title}`}
            summary={summary}
            readings={rows.map(({ event_time_utc: at, state, state_label: label }) => readingOf(at, state, label))}
          />
        ))}
      </ul>
      <StateLegend />
    </>
  );
}

const readingOf = (at: string, state: string, label: string): StateReading => ({
  windowEndMs: Date.parse(at),
  state,
  stateLabel: label,
});

interface StripProps {
  readonly title: string;
  readonly summary?: string;
  readonly readings: readonly StateReading[];
}

function Strip({ title, summary, readings }: StripProps) {
  const inOrder = [...readings].sort((a, b) => a.windowEndMs - b.windowEndMs);
  const startMs = (inOrder[0]?.windowEndMs ?? 0) - PACKET_MS;
  const endMs = inOrder.at(-1)?.windowEndMs ?? 0;
  return (
    <li>
      <h3>{title}</h3>
      <StateStrip readings={inOrder} startMs={startMs} endMs={endMs} label={title} />
      <p className={styles['span']}>
        <span>{utc(startMs)} UTC</span>
        <span>{utc(endMs).slice(11)}</span>
      </p>
      {summary === undefined ? null : <p className={styles['soft']}>{summary}</p>}
    </li>
  );
}
