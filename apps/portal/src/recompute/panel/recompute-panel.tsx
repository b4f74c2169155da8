import { type ReactNode, useState } from 'react';
import { ProblemNotice } from '../../conditions/problem-notice';
import { clock } from '../../time/clock';
import { type CheckedAnswer, type CheckLine, checkLines, type KeyKind } from './check-lines';
import { DifferenceView } from './difference-view';
import styles from './panel.module.css';
import { Tamper } from './tamper';
import { type LoadRequest, type RecomputeState, useRecompute } from './use-recompute';

interface RecomputePanelProps {
  readonly title: string;
  /** What the button that starts it says; what it costs belongs there. */
  readonly action: string;
  /** Loads the bundle; asked for at the first check, and again only after it failed. It stays the same function between renders. */
  readonly load: LoadRequest;
  readonly keyKind: KeyKind;
  /** Entries that will be read, where that is known before. */
  readonly entryTotal?: number | undefined;
  /** What the check rests on, in words. */
  readonly children: ReactNode;
}

/** Makes a packet again in the reader's browser: body, maker, derivation; and lets the reader break it. */
export function RecomputePanel({ title, action, load, keyKind, entryTotal, children }: RecomputePanelProps) {
  const { state, start, stop } = useRecompute(load);
  const [trade, setTrade] = useState<number | null>(null);
  const [tradeTotal, setTradeTotal] = useState<number | null>(null);
  const checked = state.phase === 'answered' && state.answer.type === 'checked' ? { answer: state.answer, tookMs: state.tookMs } : null;
  if (checked !== null && checked.answer.tradeTotal !== tradeTotal) setTradeTotal(checked.answer.tradeTotal);
  const difference = checked?.answer.check.firstDifference ?? null;
  const check = (moved: number | null): void => {
    setTrade(moved);
    void start(moved);
  };
  const isRunning = state.phase === 'running';
  return (
    <section className={styles['panel']} aria-label={title}>
      <h2>{title}</h2>
      <p className={styles['start']}>
        <button type="button" className={styles['action']} onClick={() => (isRunning ? stop() : check(trade))}>
          {isRunning ? 'Stop' : checked === null ? action : 'Check again'}
        </button>
        <Progress state={state} entryTotal={entryTotal ?? checked?.answer.check.entryTotal} />
      </p>
      <dl className={styles['lines']}>
        {checkLines(checked, keyKind, isRunning ? 'being checked' : 'not checked yet').map((line) => (
          <Line key={line.name} line={line} />
        ))}
      </dl>
      <p role="status" className={styles['verdict']} data-holds={checked?.answer.check.holds}>
        {checked === null ? '' : verdict(checked.answer)}
      </p>
      {difference === null ? null : <DifferenceView difference={difference} />}
      {state.phase === 'failed' ? <ProblemNotice error={state.error} retry={() => check(trade)} /> : null}
      {state.phase === 'answered' && state.answer.type === 'refused' ? (
        <ul role="alert" className={styles['refused']}>
          {state.answer.lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
      <Tamper
        tradeTotal={tradeTotal}
        moved={checked?.answer.moved ?? null}
        isMoved={trade !== null}
        onMove={check}
        onPutBack={() => check(null)}
      />
      <div className={styles['rests']}>
        <h3>What this rests on</h3>
        {children}
      </div>
    </section>
  );
}

function verdict({ check, moved }: CheckedAnswer): string {
  if (check.holds) return 'All three hold: this browser made the same packets, byte for byte.';
  return moved === null
    ? 'It does not hold: this browser makes another packet.'
    : 'Found: with that one trade moved, this browser makes another packet, with another digest.';
}

const MARKS: Readonly<Record<CheckLine['mark'], string>> = { yes: '✓', no: '✗', open: '·' };

function Line({ line: { name, mark, words, detail } }: { readonly line: CheckLine }) {
  return (
    <div data-mark={mark}>
      <dt>{name}</dt>
      <dd>
        <b aria-hidden="true">{MARKS[mark]}</b>
        <span className={styles['words']}>{words}</span>
        <span className={styles['soft']}>{detail}</span>
      </dd>
    </div>
  );
}

function Progress({ state, entryTotal }: { readonly state: RecomputeState; readonly entryTotal: number | undefined }) {
  if (state.phase !== 'running') return null;
  const { progress } = state;
  if (progress === null)
    return (
      <span className={styles['progress']}>
        <progress aria-label="Progress" /> loading
      </span>
    );
  const read = progress.entryTotal.toLocaleString('en-US');
  return (
    <span className={styles['progress']}>
      <progress aria-label="Progress" {...(entryTotal === undefined ? {} : { value: progress.entryTotal, max: entryTotal })} /> {read}{' '}
      entries
      {progress.windowEndMs === null ? '' : `, window to ${clock(progress.windowEndMs, 'time')}`}
    </span>
  );
}
