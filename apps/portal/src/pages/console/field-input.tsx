import { useId } from 'react';
import sheet from '../../theme/sheet.module.css';
import styles from './console.module.css';
import { boundWords } from './field-values';
import type { CallField } from './operations';

interface FieldInputProps {
  readonly field: CallField;
  readonly text: string;
  readonly fault: string | undefined;
  readonly onText: (text: string) => void;
}

/** A field of a call: its name, what it means, what may be in it, and what is wrong with it. */
export function FieldInput({ field, text, fault, onText }: FieldInputProps) {
  const id = useId();
  const bounds = boundWords(field);
  const choices = choicesOf(field, text);
  const input = {
    id,
    name: field.name,
    value: text,
    'aria-invalid': fault !== undefined,
    'aria-describedby': fault === undefined ? `${id}-about` : `${id}-fault ${id}-about`,
  };
  const onChange = ({ target }: { readonly target: { readonly value: string } }): void => onText(target.value);
  return (
    <div className={`${styles['field']} ${field.type === 'json' ? styles['wide'] : ''}`}>
      <label htmlFor={id}>
        <code>{field.name}</code>
        {field.required === true ? <span className={sheet['soft']}> needed</span> : null}
      </label>
      {choices === null ? (
        field.type === 'json' ? (
          <textarea {...input} rows={4} spellCheck={false} autoComplete="off" onChange={onChange} />
        ) : (
          <input
            {...input}
            inputMode={field.type === 'integer' ? 'numeric' : undefined}
            autoComplete="off"
            spellCheck={false}
            onChange={onChange}
          />
        )
      ) : (
        <select {...input} onChange={onChange}>
          <option value="">{field.required === true ? 'choose' : 'left out'}</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      )}
      {fault === undefined ? null : (
        <p id={`${id}-fault`} className={sheet['fault']}>
          {fault}
        </p>
      )}
      <p id={`${id}-about`} className={sheet['soft']}>
        {field.about.replaceAll('`', '')} {bounds === '' ? '' : `(${bounds})`}
      </p>
    </div>
  );
}

/** The values of a field that has a few, and what the address has in it; null where it is free. */
function choicesOf({ type, enum: listed, nullable }: CallField, text: string): readonly string[] | null {
  const known = type === 'boolean' ? [true, false, ...(nullable === true ? [null] : [])] : listed;
  if (known === undefined) return null;
  const choices = known.filter((choice) => choice !== '').map(String);
  return text === '' || choices.includes(text) ? choices : [...choices, text];
}
