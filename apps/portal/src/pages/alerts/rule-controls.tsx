import { useId } from 'react';
import sheet from '../../theme/sheet.module.css';
import styles from './alerts.module.css';

interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** What the number beside takes at most; `max` where absent. */
  readonly most?: number;
  readonly step?: number;
  readonly onSlide: (value: number) => void;
}

/** A bounded number, as a slider and as a number beside it. */
export function Slider({ label, value, min, max, most = max, step = 1, onSlide }: SliderProps) {
  const id = useId();
  const slide = (typed: string): void => onSlide(Math.min(most, Math.max(min, Number(typed))));
  return (
    <div className={styles['slider']}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={Math.min(max, value)}
        onChange={({ target }) => slide(target.value)}
      />
      <input
        aria-label={`${label}, as a number`}
        type="number"
        min={min}
        max={most}
        step={step === 30 ? 1 : step}
        value={value}
        onChange={({ target }) => slide(target.value)}
      />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  readonly say: (word: string) => string;
  readonly onChoose: (word: string) => void;
}

/** One of some words. */
export function Choice({ label, value, options, say, onChoose }: ChoiceProps) {
  return (
    <label className={sheet['choice']}>
      {label}
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {say(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

interface BoxesProps {
  readonly legend: string;
  readonly words: readonly string[];
  readonly say: (word: string) => string;
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

/** Some of some words, in the order of all of them. */
export function Boxes({ legend, words: all, say, chosen, onChoose }: BoxesProps) {
  return (
    <fieldset className={styles['boxes']}>
      <legend>{legend}</legend>
      {all.map((word) => (
        <label key={word}>
          <input
            type="checkbox"
            checked={chosen.includes(word)}
            onChange={({ target }) => onChoose(all.filter((each) => (each === word ? target.checked : chosen.includes(each))))}
          />{' '}
          {say(word)}
        </label>
      ))}
    </fieldset>
  );
}
