import type { Schemas } from '@market-state/client';
import { useEffect, useLayoutEffect, useState } from 'react';

type TokenName = 'claim_token' | 'reset_token' | 'email_code' | 'invitation_token' | 'unsubscribe_token';

/** Contents of a mailed link's URL fragment, which never reaches a server. */
interface MailedLink {
  readonly token: string;
  readonly email: string;
}

export function readMailedLink(hash: string, name: TokenName): MailedLink {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  return { token: params.get(name) ?? '', email: params.get('email') ?? '' };
}

/** History state marking which token the address had (never the token itself), so that it survives a reload. */
const TAKEN = 'taken_token';

const stateWith = (taken: TokenName | undefined): object => ({ ...(history.state as object | null), [TAKEN]: taken });

interface OpenedLink extends MailedLink {
  readonly isLost: boolean;
}

function openedLink(name: TokenName): OpenedLink {
  const link = readMailedLink(location.hash, name);
  const state = history.state as Readonly<Record<string, unknown>> | null;
  return { ...link, isLost: link.token === '' && state?.[TAKEN] === name };
}

/**
 * Removes the token from the address and history as soon as the page is shown; it lives only in memory. Another link
 * may be opened in the same tab without a page load.
 */
export function useMailedLink(name: TokenName): OpenedLink {
  // A page may render more than once before it is shown: only the layout effect removes the token.
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

export function forgetMailedLink(): void {
  history.replaceState(stateWith(undefined), '');
}

interface MailSentProps {
  readonly to: Schemas['MailDelivery'] | undefined;
  readonly email: string;
  readonly onlyToAccounts?: boolean;
}

export function MailSent({ to, email, onlyToAccounts = false }: MailSentProps) {
  const mail = onlyToAccounts ? `If ${email} has an account, an email with a link` : `An email with a link for ${email}`;
  return to === 'outbox_folder'
    ? `This installation has no mail server. ${mail} is in its outbox folder; the service prints the path when it starts.`
    : `${mail} is on its way.`;
}
