import { type CallFacts, MarketState } from '@market-state/client';
import { type FormEvent, useState, useCallback, useMemo, useRef } from 'react';
import { Field } from '../../account/field';
import { HeldKey, type SandboxKeyMaking, useLeaving, useSandboxKey } from '../../calls/sandbox-key';
import { ProblemNotice } from '../../conditions/problem-notice';
import { loginAddress } from '../../pages';
import sheet from '../../theme/sheet.module.css';
import styles from './console.module.css';
import { noteCall } from '../../service/meter';
import { isLoggedOut, useSession } from '../../service/session';

/** Whose credit a call takes. */
type Caller =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'session'; readonly tenant: string }
  | { readonly kind: 'key'; readonly secret: string; readonly masked: string; readonly isSandbox: boolean };

export interface Calling {
  readonly caller: Caller;
  readonly client: MarketState;
  /** What the newest metered answer, or the newest connection of a stream, said of itself; null before. */
  readonly newestFacts: () => CallFacts | null;
  readonly sandbox: SandboxKeyMaking;
  readonly takeKey: (secret: string) => void;
  readonly takeLogin: () => void;
  /** Asked to use the login, and nobody is logged in. */
  readonly isLoggedOut: boolean;
  readonly forgetKey: () => void;
}

/** Most that one call may cost where nothing smaller is said, credits. */
const CREDITS_MAX = 1_000;
const SANDBOX = /^msk_test_/;
const SHOWN_BEFORE = 9;
const SHOWN_AFTER = 4;

/** Who calls: the key that was typed or made here, held in memory alone, else the login of this browser. */
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
  return tenant === null ? { kind: 'nobody' } : { kind: 'session', tenant };
}

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
