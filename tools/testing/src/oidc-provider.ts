import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JWK } from 'oidc-provider';

interface OidcPerson {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface TestOidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Person that logs in at the provider's page. */
  person: OidcPerson;
  /** The person rejects the login. */
  rejects: boolean;
  /** Sends the email at the UserInfo endpoint only, as OpenID Connect describes for the code flow. */
  emailInUserInfoOnly: boolean;
  /** Claims of ID tokens that replace the right ones; `key` signs them instead of the provider's. */
  forged: { readonly claims?: Readonly<Record<string, unknown>>; readonly key?: KeyObject } | null;
  /** Makes it answer nothing, or an error. */
  fault: 'silent' | 'broken' | null;
  /**
   * Goes to the authorization URL like a browser and logs in.
   * @returns the address of the callback
   */
  logIn(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

interface TestOidcProviderOptions {
  readonly redirectUris: readonly string[];
  /** 0 for a free one. */
  readonly port?: number;
}

const KEY_ID = 'test';

/** An OpenID Connect provider (`oidc-provider`) on loopback, with one client and a login page that asks for nothing. */
export async function startOidcProvider({ redirectUris, port = 0 }: TestOidcProviderOptions): Promise<TestOidcProvider> {
  const { Provider } = await import('oidc-provider');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const [clientId, clientSecret] = ['market-state', randomUUID()];
  const server = createServer((req, res) => {
    handle(req, res).catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, OidcPerson>();

  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [...redirectUris] }],
    jwks: { keys: [{ ...(privateKey.export({ format: 'jwk' }) as JWK), kid: KEY_ID, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: [randomUUID()] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    conformIdTokenClaims: false,
    findAccount: (_context, accountId) => ({
      accountId,
      claims: (use) => {
        const person = people.get(accountId);
        const hidden = use === 'id_token' && fixture.emailInUserInfoOnly;
        return { ...(hidden ? {} : person?.claims), sub: accountId };
      },
    }),
  });
  const answer = provider.callback();

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (fixture.fault === 'silent') return;
    if (fixture.fault === 'broken') {
      res.writeHead(503).end();
      return;
    }
    if (req.url?.startsWith('/interaction/') === true) {
      await logInAtPage(req, res);
      return;
    }
    if (req.url === '/token' && fixture.forged !== null) forgeAnswer(res, fixture.forged, privateKey);
    await answer(req, res);
  }

  async function logInAtPage(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { subject: accountId } = fixture.person;
    if (fixture.rejects) {
      await provider.interactionFinished(req, res, { error: 'access_denied', error_description: 'the person rejects the login' });
      return;
    }
    people.set(accountId, fixture.person);
    const grant = new provider.Grant({ accountId, clientId });
    grant.addOIDCScope('openid email');
    await provider.interactionFinished(req, res, { login: { accountId }, consent: { grantId: await grant.save() } });
  }

  const fixture: TestOidcProvider = {
    issuer,
    clientId,
    clientSecret,
    person: { subject: 'ada', claims: { email: 'ada@example.org', email_verified: true } },
    rejects: false,
    emailInUserInfoOnly: false,
    forged: null,
    fault: null,
    logIn: (authorizationUrl) => followToCallback(authorizationUrl, redirectUris),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;
}

async function followToCallback(authorizationUrl: string, redirectUris: readonly string[]): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  while (!redirectUris.includes(url.origin + url.pathname)) {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url.pathname} answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  return url;
}

/** Replaces the ID token in the answer of the token endpoint. */
function forgeAnswer(res: ServerResponse, { claims, key }: NonNullable<TestOidcProvider['forged']>, ownKey: KeyObject): void {
  const end = res.end.bind(res);
  res.end = ((body: string | Buffer) => {
    const answer = JSON.parse(String(body)) as Record<string, unknown>;
    const [, payload = ''] = String(answer['id_token']).split('.');
    const honest = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const text = JSON.stringify({ ...answer, id_token: signed({ ...honest, ...claims }, key ?? ownKey) });
    res.setHeader('Content-Length', Buffer.byteLength(text));
    return end(text);
  }) as ServerResponse['end'];
}

function signed(claims: object, key: KeyObject): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${encode(claims)}`;
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
}
