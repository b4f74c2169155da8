import { whole } from '../../market/numbers';
import { onForm } from '../../account/form';
import { Hidden, Table } from '../../controls/table';
import { counted } from '@market-state/packet-figures';
import { type ReactNode, useState, useId } from 'react';
import { ProblemNotice } from '../../status-components/conditions';
import { clock } from '../../time/clock';
import { type CheckedAnswer, type CheckLine, checkLines, type KeyKind } from './check-lines';
import styles from './panel.module.css';
import { type LoadRequest, type RecomputeState, useRecompute } from '../use-recompute';
import type { MovedTrade } from '../messages';

type Difference = NonNullable<CheckedAnswer['check']['firstDifference']>;

const PLACES: Readonly<Record<Difference['in'], string>> = {
  policy: 'the policy',
  checkpoint: 'the checkpoint',
  entries: 'the log',
  packet: 'the packet',
  signature: 'the signature',
};

function DifferenceView({ difference }: { readonly difference: Difference }) {
  const { in: place, windowEndMs, path, ours, theirs, packetDigests: digests } = difference;
  return (
    <section className={styles['difference']} aria-label="First difference">
      <h3>
        First difference: {PLACES[place]}
        {windowEndMs === null ? '' : ` of the window to ${clock(windowEndMs)}`}
      </h3>
      <Table
        rows={[
          ...(digests === undefined ? [] : [{ name: 'digest', ...digests }]),
          { name: path, ours: shown(ours), theirs: shown(theirs) },
        ]}
        keyOf={(row) => row.name}
        columns={[
          { head: <Hidden>Location</Hidden>, cell: ({ name }) => <code>{name}</code> },
          { head: 'Computed here', cell: (row) => <code>{row.ours}</code> },
          { head: 'In the bundle', cell: (row) => <code>{row.theirs}</code> },
        ]}
      />
    </section>
  );
}

function shown(value: unknown): string {
  return value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
}

interface TamperProps {
  /** Null before the first check. */
  readonly tradeTotal: number | null;
  readonly moved: MovedTrade | null;
  readonly isMoved: boolean;
  readonly onMove: (trade: number) => void;
  readonly onPutBack: () => void;
}

/** Shows that the check detects a trade moved by 0.1. */
function Tamper({ tradeTotal, moved, isMoved, onMove, onPutBack }: TamperProps) {
  const [trade, setTrade] = useState('1');
  const id = useId();
  const submit = onForm(() => {
    if (isMoved) onPutBack();
    else onMove(Number(trade));
  });
  return (
    <form className={styles['tamper']} onSubmit={submit} data-moved={isMoved}>
      <h3>Tamper test: move one trade by 0.1</h3>
      <p>
        <label htmlFor={id}>Trade, counted from the last</label>
        <input
          id={id}
          type="number"
          min={1}
          max={tradeTotal ?? 1}
          step={1}
          required
          value={trade}
          disabled={tradeTotal === null}
          readOnly={isMoved}
          onChange={({ target }) => setTrade(target.value)}
        />
        <button type="submit" disabled={tradeTotal === null}>
          {isMoved ? 'Undo' : 'Move by 0.1'}
        </button>
      </p>
      <p className={styles['soft']}>
        {moved !== null ? (
          <>
            Entry {whole(moved.ordinal)} of the log, {clock(moved.atMs)}: price {moved.price} changed to <b>{moved.movedPrice}</b>. Nothing
            else was changed.
          </>
        ) : tradeTotal === null ? (
          'Available after the first check.'
        ) : (
          `${counted(tradeTotal, 'trade')} up to the end of the packet's window.`
        )}
      </p>
    </form>
  );
}

interface RecomputePanelProps {
  readonly title: string;
  /** Includes the cost. */
  readonly action: string;
  /** Called for the first check, and again only after a failure. Must be a stable function. */
  readonly load: LoadRequest;
  readonly keyKind: KeyKind;
  /** If known in advance. */
  readonly entryTotal?: number | undefined;
  /** Assumptions of the check. */
  readonly children: ReactNode;
}

/** Recomputes a packet in the browser and lets the reader tamper with it. */
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
        {checkLines(checked, keyKind, isRunning ? 'checking' : 'not checked yet').map((line) => (
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
        <h3>Assumptions</h3>
        {children}
      </div>
    </section>
  );
}

function verdict({ check, moved }: CheckedAnswer): string {
  if (check.holds) return 'Verified: this browser computed the same packets, byte for byte.';
  return moved === null
    ? 'Verification failed: this browser computed a different packet.'
    : 'Detected: with that one trade moved, this browser computes a different packet with a different digest.';
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
  const read = whole(progress.entryTotal);
  return (
    <span className={styles['progress']}>
      <progress aria-label="Progress" {...(entryTotal === undefined ? {} : { value: progress.entryTotal, max: entryTotal })} /> {read}{' '}
      entries
      {progress.windowEndMs === null ? '' : `, window to ${clock(progress.windowEndMs, 'time')}`}
    </span>
  );
}
