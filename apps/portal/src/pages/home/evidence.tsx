import { Facts } from '../../controls/facts';
import { words } from '@market-state/packet-figures';
import { priceText } from '../../market/numbers';
import { useEffect, useState } from 'react';
import { AnswerSection, Empty } from '../../status-components/conditions';
import { marketNamed, marketWords } from '../../packets/market-name';
import styles from './home.module.css';
import { type Construction, useConstruction, type ProofBrowser, useDelayedPackets } from './home-queries';
import { useProofs, useRelease } from '../../proofs/proof-queries';
import { ProofTable } from '../../proofs/proof-table';
import { clock } from '../../time/clock';
import { SourceRibbon } from '../../status-components/source-ribbon';
import { StateLegend, StateMark } from '../../charts/state-mark';
import { drawEveryMs } from '../../theme/theme';
import { StateStrip } from '../../charts/state-strip';
import { severityWord, stateLabel } from '../../packets/words';
import { linePath, storyReadings } from './story-line';

type LineageStory = ProofBrowser['public_packet_lineage_stories'][number];
type StoryCard = ProofBrowser['buyer_event_story_cards'][number];

const STAGES = ['before', 'during', 'after'] as const;
const MS = 1_000;

function Story({ story, card }: { readonly story: LineageStory; readonly card: StoryCard | undefined }) {
  const { title, story_rule_meaning: rule, stages, timeline_rows: rows, lineage_visualization: lineage } = story;
  const market = marketWords(marketNamed(story).symbol);
  const stepMs = MS * lineage.expected_interval_seconds;
  const ends = rows.map(({ event_time_utc: at }) => Date.parse(at));
  const [startMs, endMs] = [Math.min(...ends) - stepMs, Math.max(...ends)];
  const at = (ms: number): number => (100 * (ms - startMs)) / (endMs - startMs);
  const mids = rows.map(({ event_time_utc: end, mid_price: value }) => ({ atMs: Date.parse(end), value }));
  const bounds = [stages.during.start_utc, stages.during.end_utc].flatMap((each) => (each === null ? [] : [Date.parse(each)]));
  return (
    <article className={styles['story']}>
      <h3>
        {market}. {title}
      </h3>
      <p className={styles['soft']}>
        {rule}
        {card === undefined
          ? ''
          : ` Severity ${card.severity_score.toFixed(2)}, ${severityWord(card.severity_class)}; confidence ${card.confidence_score.toFixed(2)}.`}
      </p>
      <svg
        className={styles['mid']}
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Mid price of ${market}: from ${midWords(stages.before.mid_price_first)} to ${midWords(stages.after.mid_price_last)}`}
      >
        {bounds.length === 2 ? <rect x={at(bounds[0] ?? 0)} width={at(bounds[1] ?? 0) - at(bounds[0] ?? 0)} y="0" height="100" /> : null}
        <path d={linePath(mids, startMs, endMs, stepMs)} />
      </svg>
      <StateStrip
        readings={storyReadings(story)}
        startMs={startMs}
        endMs={endMs}
        omitted={lineage.missing_packet_total === 0 ? [{ startMs, endMs }] : []}
        label={title}
      />
      <p className={styles['span']}>
        <span>{clock(startMs)}</span>
        <span>{clock(endMs, 'time')}</span>
      </p>
      <Facts
        className={styles['stages']}
        facts={STAGES.map((stage) => [
          stage,
          <>
            {stages[stage].sentence}
            <span className={styles['soft']}> Mid {movedWords(stages[stage])}.</span>
          </>,
        ])}
      />
    </article>
  );
}

const midWords = (value: number | null): string => (value === null ? 'not reported' : priceText(value));

function movedWords({ mid_price_first: first, mid_price_last: last, mid_move_bps: bps }: LineageStory['stages']['before']): string {
  if (first === null || last === null || bps === null) return 'not reported';
  return `${priceText(first)} to ${priceText(last)}, ${Math.abs(bps).toFixed(1)} bps ${bps < 0 ? 'lower' : 'higher'}`;
}

type Row = ProofBrowser['public_packet_tape']['rows'][number];

const PACKET_MS = 10_000;

function PacketTape({ rows }: { readonly rows: readonly Row[] }) {
  const inOrder = [...rows].sort((a, b) => Date.parse(a.event_time_utc) - Date.parse(b.event_time_utc));
  const { at, isPlaying, toggle, seek } = useTape(inOrder.length);
  const row = inOrder[at];
  if (row === undefined) return null;
  const market = marketWords(marketNamed(row).symbol);
  const endMs = (each: Row | undefined): number => Date.parse(each?.event_time_utc ?? '');
  const [startMs, lastMs] = [endMs(inOrder[0]) - PACKET_MS, endMs(inOrder.at(-1))];
  return (
    <section className={styles['tape']} aria-label={`Tape of ${market}`}>
      <div className={styles['controls']}>
        <h3>Tape of {market}</h3>
        <button type="button" onClick={() => seek(at - 1)} disabled={at === 0}>
          Previous packet
        </button>
        <button type="button" onClick={toggle} aria-pressed={isPlaying}>
          {isPlaying ? 'Pause' : 'Play'}
        </button>
        <button type="button" onClick={() => seek(at + 1)} disabled={at === inOrder.length - 1}>
          Next packet
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
          label={`States of ${market} over time`}
        />
        <i style={{ left: `${(100 * (endMs(row) - PACKET_MS / 2 - startMs)) / (lastMs - startMs)}%` }} aria-hidden="true" />
      </div>
      <input
        type="range"
        min={0}
        max={inOrder.length - 1}
        value={at}
        onChange={({ target }) => seek(Number(target.value))}
        aria-label="Position"
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

const STEP_MS = 700;

/** Restarts from the beginning when it is played at the end. */
function useTape(total: number) {
  const [at, setAt] = useState(total - 1);
  const [isPlaying, setIsPlaying] = useState(false);
  const last = total - 1;
  useEffect(() => {
    if (!isPlaying) return undefined;
    const timer = setInterval(() => setAt((before) => Math.min(last, before + 1)), drawEveryMs(STEP_MS));
    return () => clearInterval(timer);
  }, [isPlaying, last]);
  useEffect(() => {
    if (at >= last) setIsPlaying(false);
  }, [at, last]);
  return {
    at: Math.min(at, last),
    isPlaying,
    toggle: () => {
      if (!isPlaying && at >= last) setAt(0);
      setIsPlaying(!isPlaying);
    },
    seek: (to: number) => {
      setIsPlaying(false);
      setAt(Math.min(last, Math.max(0, to)));
    },
  };
}

function DelayedPackets() {
  return (
    <AnswerSection
      title="Packets of this service, ten minutes old"
      query={useDelayedPackets()}
      checkedUtc={({ generated_at_utc: at }) => at}
      show={(preview) => <Packets preview={preview} />}
    />
  );
}

function Packets({ preview }: { readonly preview: ProofBrowser }) {
  const { public_packet_tape: tape, public_packet_lineage_stories: stories, buyer_event_story_cards: cards, meta } = preview;
  if (tape.rows.length === 0) return <Empty why="No packet is ten minutes old yet, because this service has just started." />;
  return (
    <>
      <SourceRibbon states={[meta.response_semantics.response_state]} />
      <p className={styles['soft']}>{meta.response_semantics.status_text}</p>
      <PacketTape rows={tape.rows} />
      <div className={styles['stories']}>
        {stories.map((story) => (
          <Story
            key={`${story.story_rule} ${story.event_id}`}
            story={story}
            card={cards.find(({ event_id: id }) => id === story.event_id)}
          />
        ))}
      </div>
      <StateLegend />
    </>
  );
}

function OwnProofs() {
  return (
    <AnswerSection
      title="Self-checks of this service"
      query={useProofs()}
      checkedUtc={({ as_of_utc: at }) => at}
      show={({ proofs }) => (
        <>
          <ProofTable proofs={proofs} />
          <ReleaseLine />
        </>
      )}
    />
  );
}

function ReleaseLine() {
  const { data } = useRelease();
  if (data === undefined) return null;
  return (
    <p className={styles['soft']}>
      {data.meta.response_semantics.status_text} Release <code>{data.public_release_fingerprint?.slice(0, 12) ?? 'not recorded'}</code>,
      checked {clock(data.release_contract_generated_at_utc)}.
    </p>
  );
}

function ConstructionSteps() {
  return (
    <AnswerSection
      title="How one of them was made"
      query={useConstruction()}
      checkedUtc={({ generated_at_utc: at }) => at}
      show={(construction) => <Steps construction={construction} />}
    />
  );
}

/** Its commands need a terminal and a key. */
const LEFT_OUT = 'sdk_first_integration';

function Steps({ construction: { rows, run_display_label: label } }: { readonly construction: Construction }) {
  return (
    <>
      <p className={styles['soft']}>{label}</p>
      <ol className={styles['steps']}>
        {rows
          .filter(({ construction_step_id: step }) => step !== LEFT_OUT)
          .map(({ row_id: id, title, buyer_answer: answer }) => (
            <li key={id}>
              <h3>{title}</h3>
              <p>{answer}</p>
            </li>
          ))}
      </ol>
    </>
  );
}

export default function Evidence() {
  return (
    <>
      <DelayedPackets />
      <ConstructionSteps />
      <OwnProofs />
    </>
  );
}
