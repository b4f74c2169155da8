import { useEffect, useState } from 'react';
import type { LabWindow, OpenedLab, RelabelledLab } from '../../recompute/lab/messages';
import { clock } from '../../time/clock';
import { BothDecisions } from './both-decisions';
import styles from './lab.module.css';

interface WindowChoiceProps {
  readonly lab: OpenedLab;
  readonly labelled: RelabelledLab;
  /** NaN: none. */
  readonly chosenMs: number;
  readonly onChoose: (windowEndMs: number) => void;
  readonly readWindow: (windowEndMs: number) => Promise<LabWindow | null>;
}

/** Chooses a window, and shows both decisions of it. */
export function WindowChoice({ lab: { readings }, labelled, chosenMs, onChoose, readWindow }: WindowChoiceProps) {
  const [shown, setShown] = useState<LabWindow | null>(null);
  const at = readings.findIndex(({ windowEndMs }) => windowEndMs === chosenMs);
  // Your packet of the window is another one after each labelling
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
            aria-valuetext={at < 0 ? 'none chosen' : `to ${clock(chosenMs)}`}
            onChange={({ target }) => chooseAt(Number(target.value))}
          />
        </label>
        <button type="button" onClick={() => chooseAt(at - 1)} disabled={at === 0}>
          Before
        </button>
        <button type="button" onClick={() => chooseAt(at + 1)} disabled={at === readings.length - 1}>
          {at < 0 ? 'First' : 'After'}
        </button>
        <span>{at < 0 ? 'Choose a window to see both decisions of it.' : `to ${clock(chosenMs)}`}</span>
      </div>
      {at < 0 || shown === null ? null : <BothDecisions both={shown} />}
    </>
  );
}
