import { useEffect, useRef } from 'react';
import { Field } from '../account/field';
import { fieldTime, instantOf, TIME_FORM } from '../time/field-time';
import { useZone, zoneWords } from '../time/zone';

interface TimeFieldProps {
  /** What the time is of; the field adds the zone in which it is read. */
  readonly label: string;
  readonly name: string;
  /** Null: empty at first. */
  readonly ms: number | null;
  readonly hint?: string;
  readonly fault?: string | undefined;
}

/** A time in the zone in force, 24 hours, written the same in every locale. What is typed stays the same instant in another zone. */
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
