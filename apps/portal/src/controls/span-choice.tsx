import { counted, duration } from '@market-state/packet-figures';
import { type FormEvent, useState } from 'react';
import { spanFaults, instantOf } from '../time/field-time';
import sheet from '../theme/sheet.module.css';
import { useCatalog } from '../service/use-catalog';
import type { Span } from '../service/url-span';
import styles from './controls.module.css';
import { TimeField } from './time-field';

interface SpanChoiceProps {
  readonly span: Span;
  readonly onChoose: (span: Span) => void;
  /** Longest span, milliseconds, that the page can show at once. */
  readonly longestMs: number;
  /** What the button that takes the choice says. */
  readonly action: string;
  /** Said beside the button, such as what it costs. */
  readonly note?: string;
  /** False where the symbol is chosen elsewhere. */
  readonly hasSymbol?: boolean;
}

/** Which symbol, from when to when. What is chosen is given on when the form is sent; the catalog says which symbols there are. */
export function SpanChoice({ span, onChoose, longestMs, action, note, hasSymbol = true }: SpanChoiceProps) {
  const catalog = useCatalog();
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const names = (catalog.data?.symbols ?? []).map(({ symbol }) => symbol);
  const symbols = names.includes(span.symbol) ? names : [span.symbol, ...names];
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const form = new FormData(submitted.currentTarget);
    const wrong = spanFaults(form, { longestMs, tooLong: tooLongWords(longestMs) });
    setFaults(wrong);
    if (wrong.size > 0) return;
    onChoose({ symbol: String(form.get('symbol') ?? span.symbol), fromMs: instantOf(form.get('from')), toMs: instantOf(form.get('to')) });
  };
  return (
    // Made anew when the address changes, so that the fields show what the page shows.
    <form key={`${span.symbol} ${span.fromMs} ${span.toMs}`} onSubmit={submit} className={styles['span']}>
      {hasSymbol ? (
        <label>
          Symbol{' '}
          <select name="symbol" defaultValue={span.symbol}>
            {symbols.map((symbol) => (
              <option key={symbol}>{symbol}</option>
            ))}
          </select>
        </label>
      ) : null}
      <TimeField label="From" name="from" ms={span.fromMs} fault={faults.get('from')} />
      <TimeField label="To" name="to" ms={span.toMs} fault={faults.get('to')} />
      <button type="submit">{action}</button>
      {note === undefined ? null : <span className={sheet['soft']}>{note}</span>}
    </form>
  );
}

const DAY_MS = 86_400_000;

function tooLongWords(longestMs: number): string {
  return `At most ${longestMs < 2 * DAY_MS ? duration(longestMs) : counted(longestMs / DAY_MS, 'day')} at once.`;
}
