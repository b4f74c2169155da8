import { whole } from '../../market/numbers';
import { Choice } from '../../controls/choice';
import { onForm } from '../../account/form';
import { type NumberEdits, editNumbers, type PolicyNumbers } from '@market-state/labeler/policy-numbers';
import { counted } from '@market-state/packet-figures';
import { useMemo, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { sourceOf, withSource, findingCreditsMax, type LabSource, NoPacketThere, quarterOf, type LabState, useLab } from './use-lab';
import { marketWords } from '../../packets/market-name';
import styles from './lab.module.css';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import { SpendButton, CopyButton } from '../../controls/buttons';
import { BUNDLE_CREDITS_MAX } from '../../recompute/event-bundle';
import { clock } from '../../time/clock';
import type { OpenedLab } from '../../recompute/lab/messages';
import { NumberPanel } from './number-panel';
import { ResultView } from './result-view';
import { outcomeWords } from './result-labels';
import { giveFile } from '../../controls/give-file';
import { TimeField } from '../../controls/time-field';
import { useSession } from '../../service/session';
import { useSymbols } from '../../service/use-catalog';
import { instantOf, timeFault } from '../../time/field-time';
import { useUrlState } from '../../service/url-state';
import { URL_EDITS } from './policy-numbers';

/** Browsers allow a few hundred URL updates per minute; moving a slider produces more. */
const WRITE_AFTER_MS = 250;

/** Applied immediately, but written to the URL only once they settle. */
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

/** Choosing a log costs nothing yet. */
function SourceChoice({ source, onChoose }: SourceChoiceProps) {
  const { data: session } = useSession({ isRequired: source.kind !== 'sample' });
  return (
    <section className={styles['source']} aria-label="Log to label">
      {source.kind === 'sample' ? (
        <p>
          The bundled sample: 26 packets of the BTCUSD perpetual of Binance COIN-M, 8 August 2024, starting at the log&apos;s first entry.
          Free, no key needed.
        </p>
      ) : (
        <p>
          {source.kind === 'event' ? (
            <>
              The 15 minutes up to packet <code>{source.eventId}</code>.
            </>
          ) : (
            `The 15 minutes of ${marketWords(source.symbol)} around the time below.`
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
  const submit = onForm((form) => {
    const wrong = timeFault(form.get('at'));
    setFault(wrong === '' ? undefined : wrong);
    if (wrong !== '') return;
    onChoose({ kind: 'quarter', symbol: String(form.get('symbol') ?? ''), atMs: quarterOf(instantOf(form.get('at'))).toMs });
  });
  return (
    <form key={`${chosen.symbol} ${chosen.atMs}`} onSubmit={submit} className={styles['span']}>
      {hasSession ? <SymbolChoice symbol={chosen.symbol} /> : <SymbolField symbol={chosen.symbol} />}
      <TimeField label="Time" name="at" ms={chosen.atMs} fault={fault} />
      <button type="submit">Choose these 15 minutes</button>
      <span className={styles['soft']}>free; you see the price before loading</span>
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
  const names = useSymbols();
  return <Choice label="Symbol" name="symbol" defaultValue={symbol} options={names} say={marketWords} />;
}

interface PolicyFilesProps {
  readonly policyFiles: object;
  readonly numbers: PolicyNumbers;
  readonly edits: NumberEdits;
  readonly hasFaults: boolean;
}

function PolicyFiles({ policyFiles, numbers, edits, hasFaults }: PolicyFilesProps) {
  const edited = editNumbers(numbers, edits).numbers;
  const [whole, alone] = [{ ...policyFiles, numbers: edited }, edited].map((content) => `${JSON.stringify(content, null, 2)}\n`);
  return (
    <section className={styles['panel']} aria-label="Download your policy">
      <h2>Download your policy</h2>
      {hasFaults ? (
        <p className={styles['fault']}>You can save your policy here once its numbers are valid.</p>
      ) : (
        <p className={styles['actions']}>
          <SaveButton name="policy.json" text={whole ?? ''} />
          <SaveButton name="numbers.json" text={alone ?? ''} />
          <CopyButton text={location.href} label="Copy link to this view" />
        </p>
      )}
      <p className={styles['soft']}>
        <code>policy.json</code> contains all ten files: <code>npx market-state diff-policy recording.gz --a default --b policy.json</code>{' '}
        compares it on any recording. <code>numbers.json</code> is the file that you edited; in your own service it belongs in{' '}
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

/** Opens the sample immediately, and a source that costs credits only on request. */
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
            action={state.phase === 'open' ? 'Reload' : 'Load'}
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
      return <Outline rows={10} label="Loading the log and labeling it with the published numbers" />;
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
        <Empty why={state.error.message}>Choose another time. A packet is made every ten seconds while a feed runs.</Empty>
      ) : (
        <ProblemNotice error={state.error} retry={retry} />
      );
  }
}

function Opened({ lab: { symbol, readings, entryTotal, checkpointMs } }: { readonly lab: OpenedLab }) {
  const packets = counted(readings.length, 'packet');
  return (
    <p className={styles['soft']}>
      {marketWords(symbol)}: with the published numbers, this browser recomputed all {packets} of the bundle from {whole(entryTotal)}{' '}
      entries, byte for byte.{' '}
      {checkpointMs === null
        ? 'The log starts here, so everything before a window also comes from your policy.'
        : `The entries continue from the checkpoint of ${clock(checkpointMs)}: the session samples, the published state with its dwell and scores ` +
          'held before it come from the published policy. A window that you lengthen starts with what the checkpoint stored.'}
    </p>
  );
}

export default function LabPage() {
  const [params, setParams] = useSearchParams();
  const [edits, setEdits] = useEdits();
  const named = ['event', 'symbol', 'at'].map((name) => params.get(name) ?? '').join(' ');
  // Only these three parameters name the source.
  const source = useMemo(() => sourceOf(params), [named]);
  return (
    <>
      <div className={styles['bar']}>
        <h1>Your policy</h1>
        <span className={styles['soft']}>What would different thresholds have said about the same 15 minutes?</span>
      </div>
      <p className={styles['note']}>
        The labeler runs in your browser on the recorded log, with the numbers that you set. These labels are yours alone and are not
        published; what the service published stays unchanged. They show how a label is made, not what a market will do.
      </p>
      <SourceChoice source={source} onChoose={(next) => setParams((before) => withSource(before, next))} />
      <LabView key={named} source={source} edits={edits} onEdit={setEdits} />
    </>
  );
}
