import { Choice } from './choice';
import { onForm } from '../account/form';
import { counted, duration } from '@market-state/packet-figures';
import { useEffect, useRef, useState } from 'react';
import { Field } from '../account/field';
import { fieldTime, instantOf, TIME_FORM, spanFaults } from '../time/field-time';
import { useZone, zoneWords } from '../time/zone';
import { marketWords } from '../packets/market-name';
import sheet from '../theme/sheet.module.css';
import { useSymbols } from '../service/use-catalog';
import type { Span } from '../service/url-state';
import styles from './controls.module.css';

interface SpanChoiceProps {
  readonly span: Span;
  readonly onChoose: (span: Span) => void;
  readonly longestMs: number;
  readonly action: string;
  readonly note?: string;
  readonly hasSymbol?: boolean;
}

export function SpanChoice({ span, onChoose, longestMs, action, note, hasSymbol = true }: SpanChoiceProps) {
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const names = useSymbols();
  const submit = onForm((form) => {
    const wrong = spanFaults(form, { longestMs, tooLong: tooLongWords(longestMs) });
    setFaults(wrong);
    if (wrong.size > 0) return;
    onChoose({ symbol: String(form.get('symbol') ?? span.symbol), fromMs: instantOf(form.get('from')), toMs: instantOf(form.get('to')) });
  });
  return (
    // Remounts on a changed address, so that the fields show the page's span.
    <form key={`${span.symbol} ${span.fromMs} ${span.toMs}`} onSubmit={submit} className={styles['span']}>
      {hasSymbol ? <Choice label="Symbol" name="symbol" defaultValue={span.symbol} options={names} say={marketWords} /> : null}
      <TimeField label="From" name="from" ms={span.fromMs} fault={faults.get('from')} />
      <TimeField label="To" name="to" ms={span.toMs} fault={faults.get('to')} />
      <button type="submit">{action}</button>
      {note === undefined ? null : <span className={sheet['soft']}>{note}</span>}
    </form>
  );
}

const DAY_MS = 86_400_000;

function tooLongWords(longestMs: number): string {
  return `Choose at most ${longestMs < 2 * DAY_MS ? duration(longestMs) : counted(longestMs / DAY_MS, 'day')}.`;
}

interface TimeFieldProps {
  readonly label: string;
  readonly name: string;
  readonly ms: number | null;
  readonly hint?: string;
  readonly fault?: string | undefined;
}

/**
 * A 24-hour time in the chosen zone, formatted the same in every locale. Typed text keeps its instant when the zone
 * changes.
 */
export function TimeField({ ms, label, ...field }: TimeFieldProps) {
  const zone = useZone();
  const input = useRef<HTMLInputElement>(null);
  const writtenIn = useRef(zone);
  useEffect(() => {
    const typed = instantOf(input.current?.value ?? '', writtenIn.current);
    if (input.current !== null && writtenIn.current !== zone && !Number.isNaN(typed)) input.current.value = fieldTime(typed);
    writtenIn.current = zone;
  }, [zone]);
  return (
    <Field
      {...field}
      ref={input}
      label={`${label}, ${zoneWords(zone)}`}
      defaultValue={ms === null ? undefined : fieldTime(ms)}
      placeholder={TIME_FORM}
      size={TIME_FORM.length + 3}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
