import type { FormEvent, ReactNode } from 'react';
import { ProblemNotice } from '../conditions/problem-notice';
import { problemWords } from '../conditions/problem-words';
import { isLoggedOut } from '../service/session';
import styles from './account.module.css';
import { isSaidAtFields } from './field-faults';

/** Said where a reload has lost the token of a mailed link. `children` say how long the link works, and what else can be done. */
export function LostLink({ children }: { readonly children: ReactNode }) {
  return (
    <AccountNote title="Open the link in your mail again">
      <p>This page was reloaded. It keeps what your link carries in memory alone, so that nobody finds it in this browser later.</p>
      {children}
    </AccountNote>
  );
}

interface AccountFormProps {
  readonly title: string;
  readonly action: string;
  readonly isSending: boolean;
  readonly error: unknown;
  /** Fields that say their own faults. */
  readonly fields: readonly string[];
  readonly onSubmit: (values: FormData) => void;
  readonly children: ReactNode;
  /** What stands under the form. */
  readonly beside?: ReactNode;
}

/** A form of the account: one column, its faults at its fields, any other refusal under its button. */
export function AccountForm({ title, action, isSending, error, fields, onSubmit, children, beside }: AccountFormProps) {
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    onSubmit(new FormData(submitted.currentTarget));
  };
  return (
    <div className={styles['card']}>
      <h1>{title}</h1>
      <form onSubmit={submit}>
        {children}
        <button type="submit" className={styles['go']} disabled={isSending}>
          {action}
        </button>
      </form>
      {error === null || isSaidAtFields(error, fields) ? null : isLoggedOut(error) ? (
        <p role="alert" className={styles['fault']}>
          {problemWords(error).detail}
        </p>
      ) : (
        <ProblemNotice error={error} />
      )}
      {beside === undefined ? null : <div className={styles['beside']}>{beside}</div>}
    </div>
  );
}

/** A card that says how it went. */
export function AccountNote({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={styles['card']} role="status">
      <h1>{title}</h1>
      {children}
    </div>
  );
}
