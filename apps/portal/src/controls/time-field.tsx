import { Field } from '../account/field';
import { fieldTime, TIME_FORM } from '../service/field-time';

interface TimeFieldProps {
  readonly label: string;
  readonly name: string;
  /** Null: empty at first. */
  readonly ms: number | null;
  readonly hint?: string;
  readonly fault?: string | undefined;
}

/** A time in UTC, 24 hours, written the same in every locale. */
export function TimeField({ ms, ...field }: TimeFieldProps) {
  return (
    <Field
      {...field}
      defaultValue={ms === null ? undefined : fieldTime(ms)}
      placeholder={TIME_FORM}
      size={TIME_FORM.length + 3}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
