import type { NumberField } from '@market-state/labeler/policy-numbers';
import { useId } from 'react';
import styles from './lab.module.css';
import { boundWords, nameOf } from './number-groups';

interface NumberInputProps {
  readonly field: NumberField;
  /** Undefined where the published policy, of another edition, has no such number. */
  readonly published: number | boolean | undefined;
  /** As it was edited; undefined: it was not. */
  readonly text: string | undefined;
  readonly faults: readonly string[];
  readonly onEdit: (text: string) => void;
}

/** Steps of a slider over its range. */
const SLIDER_STEPS = 200;

/** One number: a field, and a slider where its range has two ends; the published value, its bounds, and a way back to it. */
export function NumberInput({ field, published, text, faults, onEdit }: NumberInputProps) {
  const id = useId();
  if (published === undefined) return null;
  const { name, unit } = nameOf(field);
  const value = text ?? String(published);
  const isWrong = faults.length > 0;
  const described = `${id}-bounds${isWrong ? ` ${id}-faults` : ''}`;
  const description = { 'aria-invalid': isWrong, 'aria-describedby': described };
  return (
    <div className={styles['number-field']} data-edited={text !== undefined}>
      <label htmlFor={id}>
        {name}
        {unit === '' ? '' : `, ${unit}`}
      </label>
      {typeof published === 'boolean' ? (
        <select id={id} value={value} onChange={({ target }) => onEdit(target.value)} {...description}>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      ) : (
        <input
          id={id}
          inputMode="decimal"
          size={8}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onEdit(target.value)}
          {...description}
        />
      )}
      <Slider field={field} name={name} value={Number(value)} onEdit={onEdit} />
      <span id={`${id}-bounds`} className={styles['soft']}>
        published {typeof published === 'boolean' ? (published ? 'yes' : 'no') : published}
        {boundWords(field) === '' ? '' : `; ${boundWords(field)}`}
      </span>
      {text === undefined ? null : (
        <button type="button" onClick={() => onEdit(String(published))} aria-label={`Reset ${name}`}>
          Reset
        </button>
      )}
      {isWrong ? (
        <p id={`${id}-faults`} className={styles['fault']}>
          {faults.join('; ')}
        </p>
      ) : null}
    </div>
  );
}

function Slider({
  field: { kind, least, most },
  name,
  value,
  onEdit,
}: Pick<NumberInputProps, 'field' | 'onEdit'> & { name: string; value: number }) {
  if (kind !== 'number' || least === null || most === null) return null;
  const step = (most.value - least.value) / SLIDER_STEPS;
  return (
    <input
      type="range"
      aria-label={`${name}, slider`}
      min={least.isIn ? least.value : least.value + step}
      max={most.isIn ? most.value : most.value - step}
      step={step}
      value={Number.isNaN(value) ? least.value : value}
      onChange={({ target }) => onEdit(String(Number(Number(target.value).toFixed(6))))}
    />
  );
}
