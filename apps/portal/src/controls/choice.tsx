import type { ComponentProps, ReactNode } from 'react';

interface ChoiceProps<Word extends string> extends Omit<ComponentProps<'select'>, 'className' | 'value' | 'defaultValue' | 'children'> {
  readonly label: ReactNode;
  /** Class of the label around the list. */
  readonly className?: string | undefined;
  readonly options: readonly Word[];
  readonly say?: (word: Word) => string;
  readonly value?: Word;
  readonly defaultValue?: Word;
  readonly onChoose?: (word: Word) => void;
}

/** A labeled list to choose from. A chosen word that the options lack is listed first. */
export function Choice<Word extends string>({ label, className, options, say = (word) => word, onChoose, ...select }: ChoiceProps<Word>) {
  const chosen = select.value ?? select.defaultValue;
  return (
    <label className={className}>
      {label}{' '}
      <select {...select} onChange={({ target }) => onChoose?.(target.value as Word)}>
        {(chosen === undefined || options.includes(chosen) ? options : [chosen, ...options]).map((word) => (
          <option key={word} value={word}>
            {say(word)}
          </option>
        ))}
      </select>
    </label>
  );
}
