import { useLeaving } from '../../service/visibility';
import { type CallFacts, MarketState } from '@market-state/client';
import { type FormEvent, useState, useCallback, useMemo, useRef } from 'react';
import { Field } from '../../account/field';
import { StoredKey, type SandboxKeyMaking, useSandboxKey } from '../../calls/sandbox-key';
import { ProblemNotice } from '../../status-components/conditions';
import { loginAddress } from '../../pages';
import sheet from '../../theme/sheet.module.css';
import styles from './console.module.css';
import { noteCall } from '../../service/meter';
import { isLoggedOut, useSession } from '../../service/session';

type Caller =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'session'; readonly tenant: string }
  | { readonly kind: 'key'; readonly secret: string; readonly masked: string; readonly isSandbox: boolean };

export interface Calling {
  readonly caller: Caller;
  readonly client: MarketState;
  /** Null before the first metered response or stream connection. */
  readonly newestFacts: () => CallFacts | null;
  readonly sandbox: SandboxKeyMaking;
  readonly takeKey: (secret: string) => void;
  readonly takeLogin: () => void;
  /** The login was requested but there is no session. */
  readonly isLoggedOut: boolean;
  readonly forgetKey: () => void;
}

/** Limit of one call unless a lower one is set. */
const CREDITS_MAX = 1_000;
const SANDBOX = /^msk_test_/;
const SHOWN_BEFORE = 9;
const SHOWN_AFTER = 4;

/** A key is held in memory only; without one, the browser's login is used. */
export function useCaller(): Calling {
  const [typed, setTyped] = useState<string | null>(null);
  const [isLoginWanted, setIsLoginWanted] = useState(false);
  const session = useSession({ isRequired: isLoginWanted });
  const sandbox = useSandboxKey();
  const { made, forget } = sandbox;
  const forgetKey = useCallback((): void => {
    setTyped(null);
    forget();
  }, [forget]);
  useLeaving(forgetKey);
  const secret = typed ?? made?.key ?? null;
  const tenant = isLoginWanted ? (session.data?.tenant.name ?? null) : null;
  const caller = useMemo(() => callerOf(secret, tenant), [secret, tenant]);
  const newest = useRef<CallFacts | null>(null);
  const client = useMemo(() => {
    const onAnswer = (_id: unknown, call: CallFacts): void => {
      newest.current = call;
      if (caller.kind === 'session') noteCall(call);
    };
    return new MarketState({
      baseUrl: location.origin,
      maxCreditsPerCall: CREDITS_MAX,
      onAnswer,
      ...(caller.kind === 'key' ? { apiKey: caller.secret } : { session: true }),
    });
  }, [caller]);
  return {
    caller,
    client,
    newestFacts: () => newest.current,
    sandbox,
    takeKey: setTyped,
    takeLogin: () => setIsLoginWanted(true),
    isLoggedOut: isLoggedOut(session.error),
    forgetKey,
  };
}

function callerOf(secret: string | null, tenant: string | null): Caller {
  if (secret !== null)
    return {
      kind: 'key',
      secret,
      masked: `${secret.slice(0, SHOWN_BEFORE)}…${secret.slice(-SHOWN_AFTER)}`,
      isSandbox: SANDBOX.test(secret),
    };
  return tenant === null ? { kind: 'anonymous' } : { kind: 'session', tenant };
}

export function CallerPanel({ calling }: { readonly calling: Calling }) {
  const { caller, sandbox, takeKey, takeLogin, isLoggedOut, forgetKey } = calling;
  return (
    <section className={sheet['panel']} aria-label="Credential">
      <h2>Credential</h2>
      {caller.kind === 'key' ? (
        <>
          <p>
            {caller.isSandbox
              ? 'Sandbox key: data delayed by ten minutes, one credit per call.'
              : 'API key with its own scopes and limits.'}{' '}
            This page holds it only in memory and forgets it when you leave.
          </p>
          <StoredKey secret={caller.secret} masked={caller.masked} onForget={forgetKey} />
        </>
      ) : (
        <>
          <p>
            {caller.kind === 'session'
              ? `Your login for ${caller.tenant}: calls are charged to it. You can use a key instead.`
              : 'Choose which credential to charge. A key is held only in memory and is gone when you leave this page.'}
          </p>
          <p className={sheet['actions']}>
            <button type="button" disabled={sandbox.isMaking} onClick={sandbox.make}>
              {sandbox.isMaking ? 'Creating a key…' : 'Create a free sandbox key'}
            </button>
            {caller.kind === 'session' ? null : (
              <button type="button" onClick={takeLogin}>
                Use my login
              </button>
            )}
          </p>
          {isLoggedOut ? (
            <p role="status">
              You are not logged in. <a href={loginAddress(location.pathname + location.search)}>Log in</a> to return to this page.
            </p>
          ) : null}
          <ProblemNotice error={sandbox.error} retry={sandbox.make} />
          <KeyForm onKey={takeKey} />
        </>
      )}
    </section>
  );
}

/** Characters allowed in a header. */
const KEY = /^[\x21-\x7e]{8,200}$/;

function KeyForm({ onKey }: { readonly onKey: (secret: string) => void }) {
  const [fault, setFault] = useState<string>();
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const secret = String(new FormData(submitted.currentTarget).get('key') ?? '').trim();
    if (!KEY.test(secret)) {
      setFault('Enter a single key, such as msk_live_…');
      return;
    }
    submitted.currentTarget.reset();
    onKey(secret);
  };
  return (
    <form onSubmit={submit} className={styles['key']} noValidate>
      <Field label="API key" name="key" type="password" autoComplete="one-time-code" spellCheck={false} fault={fault} />
      <button type="submit">Use this key</button>
    </form>
  );
}
