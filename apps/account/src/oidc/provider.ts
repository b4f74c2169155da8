import { isLoopbackHost } from '@market-state/config';
import { isServiceError, type ServiceError, unavailable, unauthenticated } from '@market-state/errors';
import { LRUCache } from 'lru-cache';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  type CustomFetchOptions,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
} from 'openid-client';
import type { OidcIdentity } from '../store/oidc';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Shown on the button. */
  readonly name: string;
  /** People without an account who may join a tenant. Null: none. */
  readonly newcomers: { readonly domains: readonly string[]; readonly tenantName: string } | null;
}

/** Values that bind the provider's answer to the login that began in this browser. */
export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  /** PKCE, S256. */
  readonly codeVerifier: string;
}

export interface IdentifiedPerson extends OidcIdentity {
  /** Null unless the provider has verified it. */
  readonly verifiedEmail: string | null;
}

export interface OidcProvider extends Pick<OidcSettings, 'name' | 'newcomers'> {
  /** @throws ServiceError `oidc_unavailable` */
  authorizationUrl(checks: LoginChecks): Promise<string>;
  /**
   * Exchanges the code in the query of the callback and checks state, issuer, signature, audience and nonce.
   * @throws ServiceError `oidc_denied`; `oidc_unavailable`
   */
  identify(query: string, checks: LoginChecks): Promise<IdentifiedPerson>;
}

/** The portal's login page. */
const CALLBACK_PATH = '/login';

/** Limit of one request to the provider; a login makes at most four. */
const REQUEST_TIMEOUT_S = 3;

const METADATA_TTL_MS = 3_600_000;

export function createOidcProvider(settings: OidcSettings, publicBaseUrl: string, timeoutS = REQUEST_TIMEOUT_S): OidcProvider {
  const { clientId } = settings;
  const redirectUri = new URL(CALLBACK_PATH, publicBaseUrl).href;
  const metadata = new LRUCache<'metadata', Configuration>({
    max: 1,
    ttl: METADATA_TTL_MS,
    fetchMethod: () => discover(settings, timeoutS),
  });

  async function configuration(): Promise<Configuration> {
    try {
      return await metadata.forceFetch('metadata');
    } catch (error) {
      throw unavailableIn(error) ?? providerUnavailable(error);
    }
  }

  return {
    name: settings.name,
    newcomers: settings.newcomers,
    async authorizationUrl({ state, nonce, codeVerifier }) {
      const url = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      requireSecure(url);
      return url.href;
    },
    async identify(query, { state, nonce, codeVerifier }) {
      const config = await configuration();
      try {
        const tokens = await authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('no ID token');
        // With the code flow, providers may send the claims of `email` at the UserInfo endpoint only.
        const { email, email_verified: isVerified } =
          claims['email'] === undefined ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
        const verifiedEmail = typeof email === 'string' && isVerified === true ? email : null;
        return { issuer: claims.iss, clientId, subject: claims.sub, verifiedEmail };
      } catch (error) {
        throw unavailableIn(error) ?? denied(error);
      }
    },
  };
}

function discover({ issuer, clientId, clientSecret }: OidcSettings, timeout: number): Promise<Configuration> {
  const url = new URL(issuer);
  return discovery(url, clientId, undefined, secretAuth(clientSecret), {
    timeout,
    [customFetch]: fetchFromProvider,
    execute: [enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowInsecureRequests] : [])],
  });
}

/** The method that servers must support, unless the provider lists others only. */
function secretAuth(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** Follows no redirects. Reads the whole body, so that a connection lost in between is recognised here too. */
async function fetchFromProvider(address: string, { body, ...options }: CustomFetchOptions): Promise<Response> {
  requireSecure(new URL(address));
  let response: Response;
  let bytes: ArrayBuffer;
  try {
    response = await fetch(address, { ...options, body: body ?? null, redirect: 'manual' });
    bytes = await response.arrayBuffer();
  } catch (error) {
    throw providerUnavailable(error);
  }
  const { status, headers } = response;
  if (status >= 500) throw providerUnavailable(new Error(`${new URL(address).pathname} answered ${status}`));
  return new Response(bytes.byteLength === 0 ? null : bytes, { status, headers });
}

/** @throws Error for an address of the provider's metadata that others could read or change on the way */
function requireSecure({ protocol, hostname }: URL): void {
  if (protocol !== 'https:' && !isLoopbackHost(hostname))
    throw providerUnavailable(new Error(`the provider's metadata names ${hostname} without https`));
}

/** The library wraps what `fetchFromProvider` throws. */
function unavailableIn(error: unknown): ServiceError | null {
  if (isServiceError(error)) return error;
  return error instanceof Error && error.cause !== undefined ? unavailableIn(error.cause) : null;
}

function providerUnavailable(cause: unknown): ServiceError {
  return unavailable('oidc_unavailable', 'The login provider does not answer. Try again later, or log in with your password.', {
    cause,
    detail: detailOf(cause),
  });
}

function denied(cause: unknown): ServiceError {
  return unauthenticated('oidc_denied', 'The login provider did not confirm the login.', { cause, detail: detailOf(cause) });
}

/** Messages of the error and its causes, with the provider's error code, or its status without one. */
function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { error: code, status = '' } = error as { readonly error?: unknown; readonly status?: unknown };
  const message = `${error.message} ${String(code ?? status)}`.trim();
  return error.cause instanceof Error ? `${message}: ${detailOf(error.cause)}` : message;
}
