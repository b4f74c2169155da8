import { useLayoutEffect, useState } from 'react';

/** What a mailed link carries behind its `#`, which no server sees. */
export interface MailedLink {
  readonly token: string;
  readonly email: string;
}

/** Reads what stands behind the `#` of an address. */
export function readMailedLink(hash: string, name: 'claim_token' | 'reset_token'): MailedLink {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  return { token: params.get(name) ?? '', email: params.get('email') ?? '' };
}

/** The same, taken out of the address and the history as soon as it is shown: a token is held in memory alone. */
export function useMailedLink(name: 'claim_token' | 'reset_token'): MailedLink {
  // A page may be rendered more than once before it is shown, so that only what is shown takes the token away.
  const [link] = useState(() => readMailedLink(location.hash, name));
  useLayoutEffect(() => {
    if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  }, []);
  return link;
}
