import { words } from '@market-state/packet-figures';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { LabWindow, OpenedLab, RelabelledLab } from '../../recompute/lab/messages';
import { clock } from '../../time/clock';
import styles from './lab.module.css';
import { StateMark } from '../../charts/state-mark';
import { WideTable } from '../../charts/wide-table';
import { COMPOSITE_NAMES, severityWord, stateLabel } from '../../packets/words';
import { valueWords } from './result-labels';

type Packet = NonNullable<LabWindow['published']>;

interface Both {
  readonly published: Packet;
  readonly yours: Packet;
}

function BothDecisions({ both: { published, yours } }: { readonly both: LabWindow }) {
  if (published === null || yours === null) return <p>Only one of the two policies produces a packet for this window.</p>;
  const both = { published, yours };
  return (
    <div className={styles['both']}>
      <Outcomes {...both} />
      <Candidates {...both} />
      <Composites {...both} />
    </div>
  );
}

function HeadRow({ first }: { readonly first: string }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        <th scope="col">Published</th>
        <th scope="col">Your policy</th>
      </tr>
    </thead>
  );
}

function Outcomes({ published, yours }: Both) {
  return (
    <WideTable label="Outcomes">
      <HeadRow first="Decision" />
      <tbody>
        {OUTCOMES.map(([name, of]) => (
          <tr key={name} data-differs={of(published) !== of(yours)}>
            <th scope="row">{name}</th>
            <td>{of(published)}</td>
            <td>{of(yours)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row">tags of its own</th>
          <td>{tagsOnlyIn(published, yours)}</td>
          <td>{tagsOnlyIn(yours, published)}</td>
        </tr>
        <tr>
          <th scope="row">packet</th>
          <td>
            <Link href={`/packet/${published.event_id}`}>open</Link>
          </td>
          <td>only yours, never published</td>
        </tr>
      </tbody>
    </WideTable>
  );
}

function tagsOnlyIn(one: Packet, other: Packet): string {
  return one.tags.filter((tag) => !other.tags.includes(tag)).join(', ') || 'none';
}

const OUTCOMES: readonly (readonly [name: string, of: (packet: Packet) => string])[] = [
  ['published state', ({ state }) => stateLabel(state)],
  ['publication rule', ({ state_decision_trace: { publication } }) => words(publication.rule)],
  ['raw winner', ({ state_diagnosis: { winner_state: winner } }) => stateLabel(winner)],
  ['runner-up', ({ state_diagnosis: { runner_up_state: runnerUp } }) => stateLabel(runnerUp)],
  ['margin', ({ state_diagnosis: { state_margin: margin } }) => margin.toFixed(3)],
  ['event class', ({ event_class: name }) => words(name)],
  ['severity', ({ event_severity: { score, severity_class: name } }) => `${score.toFixed(3)}, ${severityWord(name)}`],
  ['confidence', ({ confidence: { score, label } }) => `${score.toFixed(3)}, ${label}`],
];

function Candidates({ published, yours }: Both) {
  const other = yours.state_decision_trace.candidate_states;
  const ranked = published.state_decision_trace.candidate_states.toSorted((a, b) => b.score - a.score);
  return (
    <WideTable label="Candidates">
      <HeadRow first="Candidate: score (0–1) and its terms" />
      <tbody>
        {ranked.map((candidate) => {
          const { state, score } = candidate;
          const own = other.find((each) => each.state === state);
          return (
            <tr key={state} data-differs={score !== own?.score}>
              <th scope="row">
                <StateMark state={state} /> {stateLabel(state)}
              </th>
              <Score candidate={candidate} />
              {own === undefined ? <td>none</td> : <Score candidate={own} />}
            </tr>
          );
        })}
      </tbody>
    </WideTable>
  );
}

type Candidate = Packet['state_decision_trace']['candidate_states'][number];

function Score({ candidate: { score, terms, term_notes: notes = {} } }: { readonly candidate: Candidate }) {
  const termTexts = Object.entries(terms).map(([name, value]) => `${words(name)} ${termWords(name, value, notes)}`);
  return (
    <td>
      {score.toFixed(3)} <span className={styles['soft']}>{termTexts.join(', ')}</span>
    </td>
  );
}

const FLAGS: ReadonlySet<string> = new Set(['open', 'sides_agree', 'book_seen', 'book_stale']);

function termWords(name: string, value: number | null, notes: Readonly<Record<string, string>>): string {
  if (value === null) return words(notes[name] ?? 'not reported');
  return FLAGS.has(name) ? (value === 1 ? 'yes' : 'no') : valueWords(value);
}

function Composites({ published, yours }: Both) {
  const [one, other] = [published, yours].map((packet) => packet.state_decision_trace.composites);
  return (
    <WideTable label="Scores and thresholds">
      <HeadRow first="Composite: score; watch, elevated; held" />
      <tbody>
        {COMPOSITE_NAMES.map(([name, title]) => {
          const [a, b] = [compositeWords(one?.[name]), compositeWords(other?.[name])];
          return (
            <tr key={name} data-differs={a !== b}>
              <th scope="row">{title}</th>
              <td>{a}</td>
              <td>{b}</td>
            </tr>
          );
        })}
      </tbody>
    </WideTable>
  );
}

function compositeWords(trace: Packet['state_decision_trace']['composites']['pressure'] | undefined): string {
  if (trace === undefined || trace.score === null) return 'not reported';
  const { score, watch, elevated, held } = trace;
  return `${score.toFixed(3)}; ${watch.toFixed(3)}, ${elevated.toFixed(3)}; ${held ? 'held' : 'not held'}`;
}

interface WindowChoiceProps {
  readonly lab: OpenedLab;
  readonly labelled: RelabelledLab;
  /** NaN if none is chosen. */
  readonly chosenMs: number;
  readonly onChoose: (windowEndMs: number) => void;
  readonly readWindow: (windowEndMs: number) => Promise<LabWindow | null>;
}

export function WindowChoice({ lab: { readings }, labelled, chosenMs, onChoose, readWindow }: WindowChoiceProps) {
  const [shown, setShown] = useState<LabWindow | null>(null);
  const at = readings.findIndex(({ windowEndMs }) => windowEndMs === chosenMs);
  // Each relabeling makes another packet of the window.
  useEffect(() => {
    let isLeft = false;
    if (at < 0) return undefined;
    void readWindow(chosenMs).then((next) => {
      if (!isLeft) setShown(next);
    });
    return () => {
      isLeft = true;
    };
  }, [at, chosenMs, labelled, readWindow]);
  const chooseAt = (index: number): void => {
    const reading = readings[Math.min(readings.length - 1, Math.max(0, index))];
    if (reading !== undefined) onChoose(reading.windowEndMs);
  };
  return (
    <>
      <div className={styles['window']}>
        <label>
          Window{' '}
          <input
            type="range"
            min={0}
            max={readings.length - 1}
            value={Math.max(0, at)}
            aria-valuetext={at < 0 ? 'none selected' : `to ${clock(chosenMs)}`}
            onChange={({ target }) => chooseAt(Number(target.value))}
          />
        </label>
        <button type="button" onClick={() => chooseAt(at - 1)} disabled={at === 0}>
          Previous
        </button>
        <button type="button" onClick={() => chooseAt(at + 1)} disabled={at === readings.length - 1}>
          {at < 0 ? 'First' : 'After'}
        </button>
        <span>{at < 0 ? 'Choose a window to compare both decisions.' : `to ${clock(chosenMs)}`}</span>
      </div>
      {at < 0 || shown === null ? null : <BothDecisions both={shown} />}
    </>
  );
}
