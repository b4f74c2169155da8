import { Table } from '../../controls/table';
import { words } from '@market-state/packet-figures';
import { StateName } from '../../charts/state-mark';
import { stateLabel, COMPOSITE_NAMES, severityWord } from '../../packets/words';
import type { LabWindow, OpenedLab, RelabelledLab } from '../../recompute/lab/messages';
import { clock } from '../../time/clock';
import styles from './lab.module.css';
import { valueWords } from './result-labels';
import { type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';

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
      <Compared label="Outcomes" first="Decision" lines={outcomesOf(both)} />
      <Compared label="Candidates" first="Candidate: score (0–1) and its terms" lines={candidatesOf(both)} />
      <Compared label="Scores and thresholds" first="Composite: score; watch, elevated; held" lines={compositesOf(both)} />
    </div>
  );
}

/** A row of two decisions: its name, the published one and yours. */
interface Line {
  readonly name: string;
  readonly head?: ReactNode;
  readonly published: ReactNode;
  readonly yours: ReactNode;
  readonly differs?: boolean;
}

function Compared({ label, first, lines }: { readonly label: string; readonly first: string; readonly lines: readonly Line[] }) {
  return (
    <Table
      scroll={label}
      rows={lines}
      keyOf={({ name }) => name}
      rowProps={({ differs }) => ({ 'data-differs': differs })}
      columns={[
        { head: first, cell: ({ name, head = name }) => head },
        { head: 'Published', cell: ({ published }) => published },
        { head: 'Your policy', cell: ({ yours }) => yours },
      ]}
    />
  );
}

function outcomesOf({ published, yours }: Both): readonly Line[] {
  return [
    ...OUTCOMES.map(([name, of]) => ({ name, published: of(published), yours: of(yours), differs: of(published) !== of(yours) })),
    { name: 'tags of its own', published: tagsOnlyIn(published, yours), yours: tagsOnlyIn(yours, published) },
    { name: 'packet', published: <Link href={`/packet/${published.event_id}`}>open</Link>, yours: 'only yours, never published' },
  ];
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

function candidatesOf({ published, yours }: Both): readonly Line[] {
  const other = yours.state_decision_trace.candidate_states;
  const ranked = published.state_decision_trace.candidate_states.toSorted((a, b) => b.score - a.score);
  return ranked.map((candidate) => {
    const own = other.find(({ state }) => state === candidate.state);
    return {
      name: candidate.state,
      head: <StateName state={candidate.state} />,
      published: <Score candidate={candidate} />,
      yours: own === undefined ? 'none' : <Score candidate={own} />,
      differs: candidate.score !== own?.score,
    };
  });
}

type Candidate = Packet['state_decision_trace']['candidate_states'][number];

function Score({ candidate: { score, terms, term_notes: notes = {} } }: { readonly candidate: Candidate }) {
  const termTexts = Object.entries(terms).map(([name, value]) => `${words(name)} ${termWords(name, value, notes)}`);
  return (
    <>
      {score.toFixed(3)} <span className={styles['soft']}>{termTexts.join(', ')}</span>
    </>
  );
}

const FLAGS: ReadonlySet<string> = new Set(['open', 'sides_agree', 'book_seen', 'book_stale']);

function termWords(name: string, value: number | null, notes: Readonly<Record<string, string>>): string {
  if (value === null) return words(notes[name] ?? 'not reported');
  return FLAGS.has(name) ? (value === 1 ? 'yes' : 'no') : valueWords(value);
}

function compositesOf({ published, yours }: Both): readonly Line[] {
  const [one, other] = [published, yours].map((packet) => packet.state_decision_trace.composites);
  return COMPOSITE_NAMES.map(([name, title]) => {
    const [a, b] = [compositeWords(one?.[name]), compositeWords(other?.[name])];
    return { name: title, published: a, yours: b, differs: a !== b };
  });
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
