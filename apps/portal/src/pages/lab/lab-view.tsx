import type { NumberEdits } from '@market-state/labeler/policy-numbers';
import { counted } from '@market-state/packet-figures';
import { useEffect } from 'react';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SpendButton } from '../../controls/spend-button';
import { BUNDLE_CREDITS_MAX } from '../../recompute/event-bundle';
import { clock } from '../../time/clock';
import type { OpenedLab } from '../../recompute/lab/messages';
import { findingCreditsMax, type LabSource, NoPacketThere } from './lab-source';
import styles from './lab.module.css';
import { NumberPanel } from './number-panel';
import { PolicyFiles } from './policy-files';
import { ResultView } from './result-view';
import { outcomeWords } from './result-words';
import { type LabState, useLab } from './use-lab';

interface LabViewProps {
  readonly source: LabSource;
  readonly edits: NumberEdits;
  readonly onEdit: (edits: NumberEdits) => void;
}

/** One source under the numbers of the page. The sample is opened at once; what costs credits, when the reader says so. */
export function LabView({ source, edits, onEdit }: LabViewProps) {
  const { state, result, open, readWindow } = useLab(source, edits);
  const isFree = source.kind === 'sample';
  useEffect(() => {
    if (isFree) void open();
  }, [isFree, open]);
  return (
    <>
      <div className={styles['load']}>
        {isFree ? null : (
          <SpendButton
            action={state.phase === 'open' ? 'Load it again' : 'Load it'}
            busy="Loading…"
            creditsAtMost={BUNDLE_CREDITS_MAX + findingCreditsMax(source)}
            isBusy={state.phase === 'loading'}
            charged={state.phase === 'open' ? state.charged : null}
            onPress={() => void open()}
          />
        )}
        {state.phase === 'open' ? <Opened lab={state.lab} /> : null}
      </div>
      <Condition state={state} retry={() => void open()} />
      {state.phase === 'open' ? (
        <div className={styles['columns']}>
          <div className={styles['column']}>
            <NumberPanel
              numbers={state.lab.numbers}
              edits={edits}
              faults={result.faults}
              outcome={result.labelled === null ? '' : outcomeWords(result.labelled.totals, result.labelled.changes)}
              onEdit={onEdit}
            />
            <PolicyFiles policyFiles={state.policyFiles} numbers={state.lab.numbers} edits={edits} hasFaults={result.faults.length > 0} />
          </div>
          <ResultView lab={state.lab} result={result} readWindow={readWindow} />
        </div>
      ) : null}
    </>
  );
}

function Condition({ state, retry }: { readonly state: LabState; readonly retry: () => void }) {
  switch (state.phase) {
    case 'idle':
    case 'open':
      return null;
    case 'loading':
      return <Outline rows={10} label="Loading the log and labelling it under the published numbers" />;
    case 'refused':
      return (
        <ul role="alert" className={styles['refused']}>
          {state.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      );
    case 'failed':
      return state.error instanceof NoPacketThere ? (
        <Empty why={state.error.message}>Choose another time: a packet comes every ten seconds while a feed runs.</Empty>
      ) : (
        <ProblemNotice error={state.error} retry={retry} />
      );
  }
}

function Opened({ lab: { symbol, readings, entryTotal, checkpointMs } }: { readonly lab: OpenedLab }) {
  const packets = counted(readings.length, 'packet');
  return (
    <p className={styles['soft']}>
      {symbol}: under the published numbers this browser makes the {packets} of the bundle again from {entryTotal.toLocaleString('en-US')}{' '}
      entries, byte for byte.{' '}
      {checkpointMs === null
        ? 'The log begins with them, so all that comes before a window is of your policy too.'
        : `They go on from the checkpoint of ${clock(checkpointMs)}: the session's samples, the published state with its dwell and what was ` +
          'held before that are of the published policy. A window that you make longer begins with what the checkpoint kept.'}
    </p>
  );
}
