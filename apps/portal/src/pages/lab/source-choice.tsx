import { type FormEvent, useState } from 'react';
import { TimeField } from '../../controls/time-field';
import { useSession } from '../../service/session';
import { useCatalog } from '../../service/use-catalog';
import { instantOf, timeFault } from '../../time/field-time';
import { type LabSource, quarterOf } from './lab-source';
import styles from './lab.module.css';

interface SourceChoiceProps {
  readonly source: LabSource;
  readonly onChoose: (source: LabSource) => void;
}

/** Which log is labelled: the sample, or a quarter of an hour of a symbol. Choosing costs nothing yet. */
export function SourceChoice({ source, onChoose }: SourceChoiceProps) {
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
