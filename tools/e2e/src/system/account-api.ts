import type { System } from '@market-state/testing';
import { type Answer, createApi, keyHeader } from './api';

export const ACCOUNT = '/api/public/market-state/account';

/** Headers of one credential. */
export type As = Readonly<Record<string, string>>;

/** A browser's or a machine's calls to the account routes. */
export interface AccountApi {
  call(method: string, path: string, body?: unknown, headers?: As): Promise<Answer>;
  get(path: string, headers?: As): Promise<Answer>;
}

/** The session's cookie as a browser sends it back. */
export function cookieOf(answer: Answer): As {
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { cookie };
}

export function withKey(key: string): As {
  return { [keyHeader]: key };
}

export function createAccountApi(system: System): AccountApi {
  const api = createApi(system, '');
  return {
    call: (method, path, body, headers = {}) =>
      api.send(method, path, {
        body: body === undefined ? undefined : JSON.stringify(body),
        headers: { 'content-type': 'application/json', origin: system.url, ...headers },
      }),
    get: (path, headers = {}) => api.get(path, headers),
  };
}
