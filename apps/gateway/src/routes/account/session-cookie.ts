import { SESSION_COOKIE } from '../../serving/auth/grant';

/** Writes the cookie of a browser session. */
export interface SessionCookie {
  /** Value of `Set-Cookie` that keeps a session until it ends. */
  set(session: string, expiresMs: number): string;
  /** Value of `Set-Cookie` that removes it. */
  clear(): string;
}

/** `secure` is false only where the service is reached by plain http on loopback. */
export function createSessionCookie(secure: boolean, now: () => number): SessionCookie {
  const write = (value: string, maxAgeSeconds: number): string =>
    `${SESSION_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return {
    set: (session, expiresMs) => write(session, Math.max(0, Math.floor((expiresMs - now()) / 1_000))),
    clear: () => write('', 0),
  };
}
