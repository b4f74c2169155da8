import { isLoopbackHost } from '@market-state/config';

/** The other spelling of an origin on loopback, by name and by number; the origin itself where it is not on loopback. */
function spellings(origin: string): string[] {
  const url = new URL(origin);
  if (!isLoopbackHost(url.hostname)) return [origin];
  return ['localhost', '127.0.0.1', '[::1]'].map((host) => `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`);
}

/** Origins from which a browser may change something here: the own one, and those of the settings. */
export function allowedOrigins(ownUrl: string, settings: readonly string[]): ReadonlySet<string> {
  return new Set([...spellings(new URL(ownUrl).origin), ...settings]);
}

/** Whether cookies can be `Secure`: everywhere but where the service is reached by plain http on loopback. */
export function takesSecureCookies(publicUrl: string | undefined, listenHost: string): boolean {
  if (publicUrl === undefined) return !isLoopbackHost(listenHost);
  const { protocol, hostname } = new URL(publicUrl);
  return !(protocol === 'http:' && isLoopbackHost(hostname));
}
