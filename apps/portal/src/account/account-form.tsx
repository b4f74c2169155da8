import { FieldFaults } from './field';
import { onForm } from './form';
import type { ReactNode } from 'react';
import { ProblemNotice } from '../status-components/conditions';
import { problemWords } from '../status-components/error-messages';
import { isLoggedOut } from '../service/session';
import styles from './account.module.css';
import { fieldFaults, isSaidAtFields } from './field-errors';

/** Shown when a reload has dropped the token of a mailed link. */
export function LostLink({ children }: { readonly children: ReactNode }) {
  return (
    <AccountNote title="Open the link in your email again">
      <p>
        This page was reloaded. For your security it keeps the link's token only in memory, so it can't be recovered from this browser
        later.
      </p>
      {children}
    </AccountNote>
  );
}

interface AccountFormProps {
  readonly title: string;
  readonly action: string;
  readonly sending: { readonly isPending: boolean; readonly error: unknown };
  readonly fields: readonly string[];
  readonly onSubmit: (values: FormData) => void;
  readonly children: ReactNode;
  readonly aside?: ReactNode;
}

export function AccountForm({ title, action, sending: { isPending, error }, fields, onSubmit, children, aside }: AccountFormProps) {
  return (
    <div className={styles['card']}>
      <h1>{title}</h1>
      <form onSubmit={onForm(onSubmit)}>
        <FieldFaults value={fieldFaults(error)}>{children}</FieldFaults>
        <button type="submit" className={styles['go']} disabled={isPending}>
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
      {aside === undefined ? null : <div className={styles['aside']}>{aside}</div>}
    </div>
  );
}

export function AccountNote({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={styles['card']} role="status">
      <h1>{title}</h1>
      {children}
    </div>
  );
}
