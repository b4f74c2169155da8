import { counted, duration } from '@market-state/packet-figures';
import { type FormEvent, useId, useState } from 'react';
import { fieldTime, utcOf } from '../service/field-time';
import sheet from '../theme/sheet.module.css';
import { useCatalog } from '../service/use-catalog';
import type { Span } from '../service/url-span';

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

/** Which symbol, from when to when in UTC. What is chosen is given on when the form is sent; the catalog says which symbols there are. */
export function SpanChoice({ span, onChoose, longestMs, action, note, hasSymbol = true }: SpanChoiceProps) {
  const catalog = useCatalog();
  const [fault, setFault] = useState('');
  const faultId = useId();
  const names = (catalog.data?.symbols ?? []).map(({ symbol }) => symbol);
  const symbols = names.includes(span.symbol) ? names : [span.symbol, ...names];
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const form = new FormData(submitted.currentTarget);
    const [fromMs, toMs] = [utcOf(form.get('from')), utcOf(form.get('to'))];
    const wrong = faultOf(fromMs, toMs, longestMs);
    setFault(wrong);
    if (wrong === '') onChoose({ symbol: String(form.get('symbol') ?? span.symbol), fromMs, toMs });
  };
  return (
    // Made anew when the address changes, so that the fields show what the page shows.
    <form key={`${span.symbol} ${span.fromMs} ${span.toMs}`} onSubmit={submit} className={sheet['bar']} aria-describedby={faultId}>
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
      <label>
        From, UTC <input type="datetime-local" name="from" step={1} required defaultValue={fieldTime(span.fromMs)} />
      </label>
      <label>
        to <input type="datetime-local" name="to" step={1} required defaultValue={fieldTime(span.toMs)} />
      </label>
      <button type="submit">{action}</button>
      {note === undefined ? null : <span className={sheet['soft']}>{note}</span>}
      <span id={faultId} role="alert" className={sheet['fault']}>
        {fault}
      </span>
    </form>
  );
}

const DAY_MS = 86_400_000;

function faultOf(fromMs: number, toMs: number, longestMs: number): string {
  if (Number.isNaN(fromMs) || Number.isNaN(toMs)) return 'Give both times.';
  if (fromMs >= toMs) return 'The span must begin before it ends.';
  if (toMs - fromMs > longestMs)
    return `At most ${longestMs < 2 * DAY_MS ? duration(longestMs) : counted(longestMs / DAY_MS, 'day')} at once.`;
  return '';
}
