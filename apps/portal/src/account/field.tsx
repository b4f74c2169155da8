import { type ComponentPropsWithRef, createContext, useContext, useId } from 'react';
import styles from './account.module.css';

interface FieldProps extends ComponentPropsWithRef<'input'> {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  /** Default: that of its name in `FieldFaults`. */
  readonly fault?: string | undefined;
}

/** Faults by field name of the form around the fields. */
export const FieldFaults = createContext<ReadonlyMap<string, string>>(new Map());

export function Field({ label, hint, fault: own, ...input }: FieldProps) {
  const id = useId();
  const faults = useContext(FieldFaults);
  const fault = own ?? faults.get(input.name);
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

/** Password to be chosen, with the bounds of the service. */
export function NewPasswordField(props: Pick<FieldProps, 'label' | 'name'>) {
  return (
    <Field
      {...props}
      type="password"
      autoComplete="new-password"
      required
      minLength={12}
      maxLength={256}
      hint="At least 12 characters. A few words work well."
    />
  );
}

/** Authentication code. */
export function CodeField(props: Pick<FieldProps, 'hint' | 'autoFocus'>) {
  return <Field {...props} label="Authentication code" name="code" autoComplete="one-time-code" required minLength={6} maxLength={64} />;
}

/** Authentication code or recovery code. */
export function EitherCodeField(props: Pick<FieldProps, 'autoFocus'>) {
  return <CodeField {...props} hint="From your authenticator app, or a recovery code." />;
}

export function CurrentPasswordField() {
  return (
    <Field label="Current password" name="current_password" type="password" autoComplete="current-password" required maxLength={256} />
  );
}
