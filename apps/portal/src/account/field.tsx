import { type ComponentPropsWithRef, useId } from 'react';
import styles from './account.module.css';

interface FieldProps extends ComponentPropsWithRef<'input'> {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly fault?: string | undefined;
}

export function Field({ label, hint, fault, ...input }: FieldProps) {
  const id = useId();
  const described = [hint === undefined ? '' : `${id}-hint`, fault === undefined ? '' : `${id}-fault`]
    .filter((each) => each !== '')
    .join(' ');
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-invalid={fault !== undefined} aria-describedby={described === '' ? undefined : described} {...input} />
      {fault === undefined ? null : (
        <p id={`${id}-fault`} className={styles['fault']}>
          {fault}
        </p>
      )}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className={styles['hint']}>
          {hint}
        </p>
      )}
    </div>
  );
}
