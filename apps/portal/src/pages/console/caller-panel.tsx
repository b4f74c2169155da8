import { type FormEvent, useState } from 'react';
import { Field } from '../../account/field';
import { HeldKey } from '../../calls/held-key';
import { ProblemNotice } from '../../conditions/problem-notice';
import { loginAddress } from '../../service/login-address';
import sheet from '../../theme/sheet.module.css';
import styles from './console.module.css';
import type { Calling } from './use-caller';

/** Who calls, and how that is changed. */
export function CallerPanel({ calling }: { readonly calling: Calling }) {
  const { caller, sandbox, takeKey, takeLogin, isLoggedOut, forgetKey } = calling;
  return (
    <section className={sheet['panel']} aria-label="Who calls">
      <h2>Who calls</h2>
      {caller.kind === 'key' ? (
        <>
          <p>
            {caller.isSandbox ? 'A sandbox key: data ten minutes old, one credit a call.' : 'A key, with what it may do and spend.'} This
            page holds it in memory alone, and forgets it when you leave.
          </p>
          <HeldKey secret={caller.secret} masked={caller.masked} onForget={forgetKey} />
        </>
      ) : (
        <>
          <p>
            {caller.kind === 'session'
              ? `Your login, for ${caller.tenant}: calls are charged to it. A key can be tried in its place.`
              : 'Choose whose credit a call takes. A key stays in the memory of this page, and is gone when you leave.'}
          </p>
          <p className={sheet['actions']}>
            <button type="button" disabled={sandbox.isMaking} onClick={sandbox.make}>
              {sandbox.isMaking ? 'Making a key…' : 'Make a sandbox key, free'}
            </button>
            {caller.kind === 'session' ? null : (
              <button type="button" onClick={takeLogin}>
                Use my login
              </button>
            )}
          </p>
          {isLoggedOut ? (
            <p role="status">
              Nobody is logged in here. <a href={loginAddress(location.pathname + location.search)}>Log in</a>, and this page opens again as
              it is.
            </p>
          ) : null}
          {sandbox.error === null ? null : <ProblemNotice error={sandbox.error} retry={sandbox.make} />}
          <KeyForm onKey={takeKey} />
        </>
      )}
    </section>
  );
}

/** What a header can hold. */
const KEY = /^[\x21-\x7e]{8,200}$/;

/** Takes a key and keeps nothing of it. */
function KeyForm({ onKey }: { readonly onKey: (secret: string) => void }) {
  const [fault, setFault] = useState<string>();
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const secret = String(new FormData(submitted.currentTarget).get('key') ?? '').trim();
    if (!KEY.test(secret)) {
      setFault('A key is one word, such as msk_live_…');
      return;
    }
    submitted.currentTarget.reset();
    onKey(secret);
  };
  return (
    <form onSubmit={submit} className={styles['key']} noValidate>
      <Field label="Your key" name="key" type="password" autoComplete="one-time-code" spellCheck={false} fault={fault} />
      <button type="submit">Use this key</button>
    </form>
  );
}
