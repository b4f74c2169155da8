import { Table } from '../../controls/table';
import type { PacketChange } from '@market-state/labeler/lab';
import { words, counted } from '@market-state/packet-figures';
import { StateLegend, StateName } from '../../charts/state-mark';
import { StateStrip } from '../../charts/state-strip';
import { stateLabel } from '../../packets/words';
import type { LabReading, LabWindow, OpenedLab, RelabelledLab } from '../../recompute/lab/messages';
import { useUrlState, urlText, urlTime } from '../../service/url-state';
import { bareClock, clockSpan, clockBelow, zoned } from '../../time/clock';
import styles from './lab.module.css';
import { outcomeWords, valueWords, fieldWords } from './result-labels';
import type { LabResult } from './use-lab';
import { WindowChoice } from './window-choice';

interface ChangeTableProps {
  readonly changes: readonly PacketChange[];
  readonly onChoose: (windowEndMs: number) => void;
}

/** Changed numbers listed for one window; its packets have them all. */
const MOVES_MAX = 4;

/** Same comparison as `market-state diff-policy`. */
function ChangeTable({ changes, onChoose }: ChangeTableProps) {
  if (changes.length === 0)
    return <p>None. Published state, raw winner, event class, diagnosis, severity class and tags are the same in every window.</p>;
  return (
    <div className={styles['tall']}>
      <Table
        scroll="Windows with differences"
        rows={changes}
        keyOf={({ windowEndMs }) => windowEndMs}
        columns={[
          {
            head: zoned('Window to'),
            cell: ({ windowEndMs }) => (
              <button
                type="button"
                onClick={() => onChoose(windowEndMs)}
                aria-label={`Show both decisions for the window to ${clockBelow(windowEndMs)}`}
              >
                {clockBelow(windowEndMs, 'time')}
              </button>
            ),
          },
          {
            head: 'Field',
            cell: ({ fields, tagsAdded, tagsRemoved }) => (
              <Lines
                lines={[...fields.map(({ field }) => fieldWords(field)), ...(tagsAdded.length + tagsRemoved.length > 0 ? ['tags'] : [])]}
              />
            ),
          },
          {
            head: 'Published',
            cell: ({ fields, tagsAdded, tagsRemoved }) => (
              <Lines lines={[...fields.map(({ field, a }) => shown(field, a)), ...tagWords(tagsRemoved, tagsAdded)]} />
            ),
          },
          {
            head: 'Your policy',
            cell: ({ fields, tagsAdded, tagsRemoved }) => (
              <Lines lines={[...fields.map(({ field, b }) => shown(field, b)), ...tagWords(tagsAdded, tagsRemoved)]} />
            ),
          },
          { head: 'Cause', cell: ({ because }) => <Lines lines={causeWords(because)} />, cellClass: styles['soft'] },
        ]}
      />
    </div>
  );
}

function shown(field: string, value: string): string {
  return field === 'state' || field === 'winner_state' ? stateLabel(value) : words(value);
}

function causeWords(because: PacketChange['because']): readonly string[] {
  const moves = because
    .slice(0, MOVES_MAX)
    .map(({ kind, name, a, b }) => `${kind} ${words(name)}: ${valueWords(a)}, yours ${valueWords(b)}`);
  return because.length > MOVES_MAX ? [...moves, `and ${because.length - MOVES_MAX} more`] : moves;
}

function tagWords(own: readonly string[], others: readonly string[]): readonly string[] {
  return own.length + others.length === 0 ? [] : [own.length === 0 ? 'none of its own' : `${counted(own.length, 'tag')} of its own`];
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return lines.map((line) => <div key={line}>{line}</div>);
}

interface ResultViewProps {
  readonly lab: OpenedLab;
  readonly result: LabResult;
  readonly readWindow: (windowEndMs: number) => Promise<LabWindow | null>;
}

export function ResultView({ lab, result: { labelled, faults, isCurrent }, readWindow }: ResultViewProps) {
  const [chosen, choose] = useUrlState('window', urlText);
  if (labelled === null) return <p className={styles['soft']}>{faults.length === 0 ? 'Labeling…' : 'Nothing labeled yet.'}</p>;
  const show = (windowEndMs: number): void => choose(urlTime(windowEndMs));
  return (
    <div className={styles['column']} data-stale={!isCurrent || faults.length > 0}>
      <section className={styles['panel']} aria-label="Published and your policy">
        <h2>
          Published, and your policy{' '}
          <span className={styles['soft']}>
            {faults.length > 0 ? 'for the last valid numbers' : `labeled in ${Math.round(labelled.tookMs)} ms`}
          </span>
        </h2>
        <p role="status">{outcomeWords(labelled.totals, labelled.changes)}</p>
        <StateLines lab={lab} labelled={labelled} />
        <WindowChoice key={chosen} lab={lab} labelled={labelled} chosenMs={Date.parse(chosen)} onChoose={show} readWindow={readWindow} />
      </section>
      <section className={styles['panel']} aria-label="Windows with differences">
        <h2>Windows with differences</h2>
        <ChangeTable changes={labelled.changes} onChoose={show} />
      </section>
      <Counts labelled={labelled} />
      <Values lab={lab} labelled={labelled} />
    </div>
  );
}

const WINDOW_MS = 10_000;

function StateLines({
  lab: { readings: published },
  labelled: { readings: yours, changes },
}: Pick<ResultViewProps, 'lab'> & { labelled: RelabelledLab }) {
  const startMs = (published[0]?.windowEndMs ?? 0) - WINDOW_MS;
  const endMs = published.at(-1)?.windowEndMs ?? 0;
  const span = endMs - startMs;
  const drawn = (readings: readonly LabReading[]) =>
    readings.map(({ windowEndMs, state }) => ({ windowEndMs, state, stateLabel: stateLabel(state) }));
  return (
    <figure className={styles['lines']}>
      <span>Published</span>
      <StateStrip readings={drawn(published)} startMs={startMs} endMs={endMs} label="Published states" />
      <span>Your policy</span>
      <StateStrip readings={drawn(yours)} startMs={startMs} endMs={endMs} label="States under your policy" />
      <span>Differences</span>
      <svg viewBox={`0 0 ${span} 1`} preserveAspectRatio="none" role="img" aria-label={`${changes.length} windows with differences`}>
        {changes.map(({ windowEndMs, fields }) => (
          <rect
            key={windowEndMs}
            x={windowEndMs - WINDOW_MS - startMs}
            y={fields.some(({ field }) => field === 'state') ? 0 : 0.55}
            width={WINDOW_MS * 0.9}
            height="1"
          />
        ))}
      </svg>
      <span />
      <figcaption>
        <span>{bareClock(startMs, 'time')}</span>
        <span>{clockSpan(startMs, endMs, 'minute')}</span>
        <span>{bareClock(endMs, 'time')}</span>
      </figcaption>
      <p className={styles['soft']}>In the last row, a full mark is a different published state; half a mark is any other difference.</p>
      <StateLegend />
    </figure>
  );
}

function Counts({ labelled: { totals } }: { readonly labelled: RelabelledLab }) {
  const states = [...new Set([...Object.keys(totals.statesA), ...Object.keys(totals.statesB)])].sort();
  return (
    <section className={styles['panel']} aria-label="Packets by state">
      <h2>Packets by published state</h2>
      <Table
        scroll="Packets by state"
        rows={states}
        keyOf={(state) => state}
        columns={[
          { head: 'State', cell: (state) => <StateName state={state} /> },
          { head: 'Published', cell: (state) => totals.statesA[state] ?? 0, className: styles['number'] },
          { head: 'Your policy', cell: (state) => totals.statesB[state] ?? 0, className: styles['number'] },
        ]}
      />
    </section>
  );
}

function Values({ lab, labelled: { values, policyDigest, readings } }: { readonly lab: OpenedLab; readonly labelled: RelabelledLab }) {
  const published = new Set(lab.readings.map(({ packetDigest }) => packetDigest));
  const sameTotal = readings.filter(({ packetDigest }) => published.has(packetDigest)).length;
  return (
    <section className={styles['panel']} aria-label="Policy values that differ">
      <h2>Policy values that differ</h2>
      {values.length === 0 ? (
        <p>
          None: {sameTotal} of {readings.length} packets match the published ones byte for byte.
        </p>
      ) : (
        <Table
          scroll="Policy values that differ"
          rows={values}
          keyOf={({ path }) => path}
          columns={[
            {
              head: 'File and value',
              cell: ({ file, path }) => (
                <>
                  {file}: {path.slice(1).split('/').map(words).join(', ')}
                </>
              ),
            },
            { head: 'Published', cell: ({ a }) => valueWords(a), className: styles['number'] },
            { head: 'Yours', cell: ({ b }) => valueWords(b), className: styles['number'] },
          ]}
        />
      )}
      <p className={styles['soft']}>
        Digest of your policy: <code>{policyDigest}</code>
      </p>
    </section>
  );
}
