import { type CallFacts, MarketState } from '@market-state/client';
import { useCallback, useMemo, useRef, useState } from 'react';
import { type SandboxKeyMaking, useLeaving, useSandboxKey } from '../../calls/use-sandbox-key';
import { noteCall } from '../../service/meter';
import { isLoggedOut, useSession } from '../../service/session';

/** Whose credit a call takes. */
export type Caller =
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
