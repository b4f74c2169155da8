import { type NumberEdits, editNumbers, type PolicyNumbers } from '@market-state/labeler/policy-numbers';
import { counted } from '@market-state/packet-figures';
import { useMemo, useEffect, type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { sourceOf, withSource, findingCreditsMax, type LabSource, NoPacketThere, quarterOf, type LabState, useLab } from './use-lab';
import styles from './lab.module.css';
import { Empty, Outline } from '../../conditions/placeholder';
import { ProblemNotice } from '../../conditions/problem-notice';
import { SpendButton } from '../../controls/spend-button';
import { BUNDLE_CREDITS_MAX } from '../../recompute/event-bundle';
import { clock } from '../../time/clock';
import type { OpenedLab } from '../../recompute/lab/messages';
import { NumberPanel } from './number-panel';
import { ResultView } from './result-view';
import { outcomeWords } from './result-words';
import { CopyButton } from '../../controls/copy-button';
import { giveFile } from '../../controls/give-file';
import { TimeField } from '../../controls/time-field';
import { useSession } from '../../service/session';
import { useCatalog } from '../../service/use-catalog';
import { instantOf, timeFault } from '../../time/field-time';
import { useUrlState } from '../../service/url-state';
import { URL_EDITS } from './policy-numbers';

/** A browser takes a few hundred addresses a minute; a slider that is moved makes more values than that. */
const WRITE_AFTER_MS = 250;

/** The edits of the page: at once here, and in the address as soon as they rest. */
function useEdits(): readonly [NumberEdits, (edits: NumberEdits) => void] {
  const [written, write] = useUrlState('set', URL_EDITS);
  const [edits, setEdits] = useState(written);
  const text = URL_EDITS.write(edits);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (new URLSearchParams(location.search).get('set') !== (text === '' ? null : text)) write(URL_EDITS.read(text) ?? {});
    }, WRITE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, write]);
  return [edits, setEdits];
}

interface SourceChoiceProps {
  readonly source: LabSource;
  readonly onChoose: (source: LabSource) => void;
}

/** Which log is labelled: the sample, or a quarter of an hour of a symbol. Choosing costs nothing yet. */
function SourceChoice({ source, onChoose }: SourceChoiceProps) {
  const { data: session } = useSession({ isRequired: source.kind !== 'sample' });
  return (
    <section className={styles['source']} aria-label="What is labelled">
      {source.kind === 'sample' ? (
        <p>
          The sample that comes with this page: 25 packets of the BTCUSD perpetual of Binance COIN-M, 8 August 2024, from its log&apos;s
          first entry. It needs no key and costs nothing.
        </p>
      ) : (
        <p>
          {source.kind === 'event' ? (
            <>
              The quarter of an hour up to the packet <code>{source.eventId}</code>.
            </>
          ) : (
            `The quarter of an hour of ${source.symbol} that holds the time below.`
          )}{' '}
          <button type="button" onClick={() => onChoose({ kind: 'sample' })}>
            Use the sample
          </button>
        </p>
      )}
      <QuarterForm source={source} onChoose={onChoose} hasSession={session !== undefined} />
    </section>
  );
}

const USUAL_SYMBOL = 'BTCUSD-PERP';

function QuarterForm({ source, onChoose, hasSession }: SourceChoiceProps & { readonly hasSession: boolean }) {
  const [fault, setFault] = useState<string>();
  const chosen = source.kind === 'quarter' ? source : { symbol: USUAL_SYMBOL, atMs: null };
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const form = new FormData(submitted.currentTarget);
    const wrong = timeFault(form.get('at'));
    setFault(wrong === '' ? undefined : wrong);
    if (wrong !== '') return;
    onChoose({ kind: 'quarter', symbol: String(form.get('symbol') ?? ''), atMs: quarterOf(instantOf(form.get('at'))).toMs });
  };
  return (
    <form key={`${chosen.symbol} ${chosen.atMs}`} onSubmit={submit} className={styles['span']}>
      {hasSession ? <SymbolChoice symbol={chosen.symbol} /> : <SymbolField symbol={chosen.symbol} />}
      <TimeField label="A time in it" name="at" ms={chosen.atMs} fault={fault} />
      <button type="submit">Choose this quarter of an hour</button>
      <span className={styles['soft']}>choosing costs nothing; loading it says its price first</span>
    </form>
  );
}

function SymbolField({ symbol }: { readonly symbol: string }) {
  return (
    <label>
      Symbol <input name="symbol" defaultValue={symbol} required autoComplete="off" spellCheck={false} />
    </label>
  );
}

function SymbolChoice({ symbol }: { readonly symbol: string }) {
  const catalog = useCatalog();
  const names = (catalog.data?.symbols ?? []).map((each) => each.symbol);
  return (
    <label>
      Symbol{' '}
      <select name="symbol" defaultValue={symbol}>
        {(names.includes(symbol) ? names : [symbol, ...names]).map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

interface PolicyFilesProps {
  /** The published policy's files by name. */
  readonly policyFiles: object;
  readonly numbers: PolicyNumbers;
  readonly edits: NumberEdits;
  readonly hasFaults: boolean;
}

/** The policy of the page as files, to be used elsewhere, and the page's address. */
function PolicyFiles({ policyFiles, numbers, edits, hasFaults }: PolicyFilesProps) {
  const edited = editNumbers(numbers, edits).numbers;
  const [whole, alone] = [{ ...policyFiles, numbers: edited }, edited].map((content) => `${JSON.stringify(content, null, 2)}\n`);
  return (
    <section className={styles['panel']} aria-label="Take it with you">
      <h2>Take it with you</h2>
      {hasFaults ? (
        <p className={styles['fault']}>Once the numbers are a policy, it can be saved here.</p>
      ) : (
        <p className={styles['actions']}>
          <SaveButton name="policy.json" text={whole ?? ''} />
          <SaveButton name="numbers.json" text={alone ?? ''} />
          <CopyButton text={location.href} label="Copy the address of this view" />
        </p>
      )}
      <p className={styles['soft']}>
        <code>policy.json</code> holds all ten files: <code>npx market-state diff-policy recording.gz --a default --b policy.json</code>{' '}
        compares it on any recording. <code>numbers.json</code> is the one that you edited: in a service of your own it stands in{' '}
        <code>libs/domain/labeler/policy</code>.
      </p>
    </section>
  );
}

function SaveButton({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <button type="button" onClick={() => giveFile(name, new Blob([text], { type: 'application/json' }))}>
      Save {name}
    </button>
  );
}

interface LabViewProps {
  readonly source: LabSource;
  readonly edits: NumberEdits;
  readonly onEdit: (edits: NumberEdits) => void;
}

/** One source under the numbers of the page. The sample is opened at once; what costs credits, when the reader says so. */
function LabView({ source, edits, onEdit }: LabViewProps) {
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

export default function LabPage() {
  const [params, setParams] = useSearchParams();
  const [edits, setEdits] = useEdits();
  const named = ['event', 'symbol', 'at'].map((name) => params.get(name) ?? '').join(' ');
  // The source is named by these three parameters, whatever else changes
  const source = useMemo(() => sourceOf(params), [named]);
  return (
    <>
      <div className={styles['bar']}>
        <h1>Your policy</h1>
        <span className={styles['soft']}>what would other numbers have made of the same quarter of an hour?</span>
      </div>
      <p className={styles['note']}>
        The labeler runs in this browser, on the recorded log, under numbers that you move. These labels are nobody's publication: they are
        of your policy, no better and no worse for it, and what the service has published stays as it is. They say how a label comes about,
        not what a market will do.
      </p>
      <SourceChoice source={source} onChoose={(next) => setParams((before) => withSource(before, next))} />
      <LabView key={named} source={source} edits={edits} onEdit={setEdits} />
    </>
  );
}
