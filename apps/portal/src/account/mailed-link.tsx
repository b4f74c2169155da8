import type { Schemas } from '@market-state/client';
import { useEffect, useLayoutEffect, useState } from 'react';

type TokenName = 'claim_token' | 'reset_token';

/** What a mailed link carries behind its `#`, which no server sees. */
interface MailedLink {
  readonly token: string;
  readonly email: string;
}

/** Reads what stands behind the `#` of an address. */
export function readMailedLink(hash: string, name: TokenName): MailedLink {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  return { token: params.get(name) ?? '', email: params.get('email') ?? '' };
}

/** In the state of an entry of the history whose address had a token: which one, never the token. A reload keeps it. */
const TAKEN = 'taken_token';

const stateWith = (taken: TokenName | undefined): object => ({ ...(history.state as object | null), [TAKEN]: taken });

interface OpenedLink extends MailedLink {
  /** A reload has lost its token. */
  readonly isLost: boolean;
}

function openedLink(name: TokenName): OpenedLink {
  const link = readMailedLink(location.hash, name);
  const state = history.state as Readonly<Record<string, unknown>> | null;
  return { ...link, isLost: link.token === '' && state?.[TAKEN] === name };
}

/**
 * The same, taken out of the address and the history as soon as it is shown: a token is held in memory alone. Another link may be
 * opened in the same tab, which does not load the page again.
 */
export function useMailedLink(name: TokenName): OpenedLink {
  // A page may be rendered more than once before it is shown, so that only what is shown takes the token away.
  const [link, setLink] = useState(() => openedLink(name));
  useLayoutEffect(() => {
    if (location.hash === '') return;
    history.replaceState(stateWith(link.token === '' ? undefined : name), '', location.pathname + location.search);
  }, [link, name]);
  useEffect(() => {
    const changed = (): void => {
      if (location.hash !== '') setLink(openedLink(name));
    };
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, [name]);
  return link;
}

/** A token has done what it was for: a reload loses nothing any more. */
export function forgetMailedLink(): void {
  history.replaceState(stateWith(undefined), '');
}

interface MailSentProps {
  readonly to: Schemas['MailDelivery'] | undefined;
  readonly email: string;
  /** Absent where a mail is sent in any case. */
  readonly onlyToAccounts?: boolean;
}

/** Where the mail with a link is, by how this installation delivers mail. */
export function MailSent({ to, email, onlyToAccounts = false }: MailSentProps) {
  const mail = onlyToAccounts ? `If ${email} has an account, a mail with a link` : `A mail with a link for ${email}`;
  return to === 'outbox_folder'
    ? `This installation has no mail server. ${mail} is in its outbox folder, which the start of the service names.`
    : `${mail} is on its way.`;
}
