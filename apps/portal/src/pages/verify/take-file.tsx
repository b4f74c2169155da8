import { type DragEvent, type FormEvent, useId, useState } from 'react';
import sheet from '../../theme/sheet.module.css';
import styles from './verify.module.css';

interface TakeFileProps {
  /** What is wanted: `a packet`. */
  readonly what: string;
  /** Which forms are taken. */
  readonly hint: string;
  readonly isBusy?: boolean;
  readonly onGive: (file: Blob, name: string) => void;
}

/** Takes a file: dropped, chosen, or pasted as text. */
export function TakeFile({ what, hint, isBusy = false, onGive }: TakeFileProps) {
  const [isOver, setIsOver] = useState(false);
  const id = useId();
  const drop = (dropped: DragEvent): void => {
    dropped.preventDefault();
    setIsOver(false);
    const [file] = dropped.dataTransfer.files;
    if (file !== undefined) onGive(file, file.name);
  };
  const paste = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const text = String(new FormData(submitted.currentTarget).get('text') ?? '');
    if (text.trim() !== '') onGive(new Blob([text]), 'The pasted text');
  };
  return (
    // Dropping is one of three ways; the keyboard has the other two.
    <form
      className={styles['give']}
      data-over={isOver}
      onSubmit={paste}
      onDragOver={(dragged) => {
        dragged.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <label>
        Choose {what}, or drop it here
        <input
          type="file"
          disabled={isBusy}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) onGive(file, file.name);
            target.value = '';
          }}
        />
      </label>
      <label htmlFor={id}>Or paste it</label>
      <textarea id={id} name="text" rows={4} spellCheck={false} autoComplete="off" aria-describedby={`${id}-hint`} />
      <p id={`${id}-hint`} className={sheet['soft']}>
        {hint}
      </p>
      <p className={sheet['actions']}>
        <button type="submit" disabled={isBusy}>
          Take the pasted text
        </button>
      </p>
    </form>
  );
}
