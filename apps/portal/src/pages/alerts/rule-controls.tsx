import { type InputHTMLAttributes, type ReactNode, useId } from 'react';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';

interface Labels {
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

interface TextProps extends Labels, Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value'> {
  readonly value: string;
  readonly onType: (text: string) => void;
}

/** A label, its input and its fault. `children` receives the id of the input and its links to the fault. */
function Labelled({ label, fault, children }: Labels & { readonly children: (input: object) => ReactNode }) {
  const id = useId();
  return (
    <div className={sheet['choice']}>
      <label htmlFor={id}>{label}</label>
      {children({ id, ...describedBy(id, fault) })}
      <Fault id={id} fault={fault} />
    </div>
  );
}

export function Text({ label, fault, onType, ...input }: TextProps) {
  return (
    <Labelled label={label} fault={fault}>
      {(linked) => <input {...linked} {...input} onChange={({ target }) => onType(target.value)} />}
    </Labelled>
  );
}

interface AmountProps extends Labels {
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
  return (
    <Labelled label={label} fault={fault}>
      {(linked) => (
        <input
          {...linked}
          type="number"
          {...bounds}
          value={Number.isNaN(value) ? '' : value}
          onChange={({ target }) => onAmount(typedNumber(target.value))}
        />
      )}
    </Labelled>
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

interface ChoiceProps extends Labels {
  readonly value: string;
  readonly options: readonly string[];
  readonly say: (word: string) => string;
  readonly onChoose: (word: string) => void;
}

export function Choice({ label, fault, value, options, say, onChoose }: ChoiceProps) {
  return (
    <Labelled label={label} fault={fault}>
      {(linked) => (
        <select {...linked} value={value} onChange={({ target }) => onChoose(target.value)}>
          {options.map((option) => (
            <option key={option} value={option}>
              {say(option)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface BoxesProps extends Labels {
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
