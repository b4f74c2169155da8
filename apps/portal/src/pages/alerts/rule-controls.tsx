import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';

interface Labelled {
  readonly label: string;
  readonly fault?: string | undefined;
}

function Fault({ id, fault }: { readonly id: string; readonly fault: string | undefined }): ReactNode {
  return fault === undefined ? null : (
    <span id={`${id}-fault`} className={sheet['fault']}>
      {fault}
    </span>
  );
}

const describedBy = (id: string, fault: string | undefined) =>
  fault === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': `${id}-fault` } as const);

interface TextProps extends Labelled, Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> {
  readonly value: string;
  readonly onType: (text: string) => void;
}

export function Text({ label, fault, onType, ...input }: TextProps) {
  const id = useId();
  return (
    <div className={sheet['choice']}>
      <label htmlFor={id}>{label}</label>
      <input id={id} {...input} {...describedBy(id, fault)} onChange={({ target }) => onType(target.value)} />
      <Fault id={id} fault={fault} />
    </div>
  );
}

interface AmountProps extends Labelled {
  /** NaN while the text is not a number. */
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number | 'any';
  readonly onAmount: (value: number) => void;
}

const typedNumber = (typed: string): number => (typed === '' ? NaN : Number(typed));

/** An out-of-range value stays as typed. */
export function Amount({ label, fault, value, onAmount, ...bounds }: AmountProps) {
  const id = useId();
  return (
    <div className={sheet['choice']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        {...bounds}
        {...describedBy(id, fault)}
        value={Number.isNaN(value) ? '' : value}
        onChange={({ target }) => onAmount(typedNumber(target.value))}
      />
      <Fault id={id} fault={fault} />
    </div>
  );
}

interface SliderProps extends AmountProps {
  readonly step: number;
  /** Upper end of the slider; the number input accepts up to `max`. */
  readonly slideMax?: number;
}

export function Slider({ label, fault, value, min, max, step, slideMax = max, onAmount }: SliderProps) {
  const id = useId();
  return (
    <div className={styles['slider']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={min}
        max={slideMax}
        step={step}
        value={Number.isNaN(value) ? min : Math.min(slideMax, value)}
        onChange={({ target }) => onAmount(Number(target.value))}
      />
      <input
        aria-label={`${label}, as a number`}
        type="number"
        min={min}
        max={max}
        step={Math.min(1, step)}
        {...describedBy(id, fault)}
        value={Number.isNaN(value) ? '' : value}
        onChange={({ target }) => onAmount(typedNumber(target.value))}
      />
      <Fault id={id} fault={fault} />
    </div>
  );
}

interface ChoiceProps extends Labelled {
  readonly value: string;
  readonly options: readonly string[];
  readonly say: (word: string) => string;
  readonly onChoose: (word: string) => void;
}

export function Choice({ label, fault, value, options, say, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div className={sheet['choice']}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} {...describedBy(id, fault)} onChange={({ target }) => onChoose(target.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {say(option)}
          </option>
        ))}
      </select>
      <Fault id={id} fault={fault} />
    </div>
  );
}

interface BoxesProps extends Labelled {
  readonly words: readonly string[];
  readonly say: (word: string) => string;
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

export function Boxes({ label, fault, words: all, say, chosen, onChoose }: BoxesProps) {
  const id = useId();
  return (
    <fieldset className={styles['boxes']} aria-describedby={fault === undefined ? undefined : `${id}-fault`}>
      <legend>{label}</legend>
      {all.map((word, index) => (
        <label key={word}>
          <input
            type="checkbox"
            checked={chosen.includes(word)}
            // Carries the fault for the group, so that it gets the focus.
            aria-invalid={fault !== undefined && index === 0}
            onChange={({ target }) => onChoose(all.filter((each) => (each === word ? target.checked : chosen.includes(each))))}
          />{' '}
          {say(word)}
        </label>
      ))}
      <Fault id={id} fault={fault} />
    </fieldset>
  );
}
