import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { formatKey, KEY_RANDOM_SIZE_BYTES } from '@market-state/credentials';
import { keyOfNewTenant, sharePacket, waitUntil } from '@market-state/testing';
import { ACCOUNT, type AccountApi, type As, cookieOf, createAccountApi, withKey } from '../../system/api';
import type { DefaultSystem } from '../../system/default-system';
import type { ServedOperation } from '../../system/served-document';

const LATEST = '/api/public/market-state/latest';
const JOBS = '/api/public/data/export/jobs';
const WORKSPACE_JOBS = '/api/public/market-state/workspace/data/export/jobs';
const timeoutMs = 60_000;
const SESSION_COOKIE = 'svc_market_state_session';

/** Owner of the resource that a path parameter names: shared, or one tenant's. */
const PATH_PARAMETERS: Readonly<Record<string, 'shared' | 'of_tenant'>> = {
  account_id: 'of_tenant',
  alert_id: 'of_tenant',
  connector_id: 'shared',
  event_id: 'shared',
  invitation_id: 'of_tenant',
  job_id: 'of_tenant',
  key_id: 'of_tenant',
  message_id: 'of_tenant',
  name: 'of_tenant',
  saved_search_id: 'of_tenant',
  session_id: 'of_tenant',
  share_id: 'of_tenant',
  task_id: 'of_tenant',
  // Mailed to its owner, and the only credential of its route.
  token: 'shared',
  watchlist_id: 'of_tenant',
  webhook_id: 'of_tenant',
};

/** Bodies required by calls about a resource, by path suffix. */
const BODIES: readonly (readonly [RegExp, object])[] = [
  [/\/webhooks\/[^/]+$/, { description: 'x' }],
  [/\/(recover|replay-missing)$/, { since: new Date(Date.now() - 60_000).toISOString() }],
  [/\/resend$/, { webhook_id: 'we_zzzz' }],
  [/\/rotate-secret$/, { grace_hours: 1 }],
  [/\/confirm$/, { code: '12345678' }],
  [/\/members\/[^/]+$/, { role: 'member' }],
  [/./, { name: 'x' }],
];

const NEEDS_BODY = /\/(confirm|recover|replay-missing|resend|rotate-secret)$/;
const BASE = '/api/public/market-state';

const bodyOf = (path: string): object | undefined => BODIES.find(([end]) => end.test(path))?.[1];

interface Refusal {
  readonly status: number;
  /** The body without the request id. */
  readonly text: string;
}

/** Tests every route that needs a credential without one, with wrong ones and with another tenant's. */
export function describeCredentialWalk(started: () => DefaultSystem): void {
  let api: AccountApi;
  let addresses = 0;

  /** Uses a separate loopback address per call: refused credentials are counted by address. */
  function ask({ method, path }: Pick<ServedOperation, 'method' | 'path'>, headers: As, body?: unknown): Promise<Refusal> {
    addresses += 1;
    const localAddress = `127.77.${Math.floor(addresses / 250)}.${1 + (addresses % 250)}`;
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const own = {
      'content-type': 'application/json',
      ...(sent === undefined ? {} : { 'content-length': String(Buffer.byteLength(sent)) }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const requested = request(
        `${started().system.url}${path}`,
        { method, localAddress, headers: own, agent: false, timeout: timeoutMs },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text: text.replace(/"request_id":"[^"]*"/, '') }));
          response.on('error', reject);
        },
      );
      requested.on('error', reject);
      requested.on('timeout', () => requested.destroy(new Error(`${method} ${path} did not answer`)));
      requested.end(sent);
    });
  }

  async function sessionOf(key: string): Promise<As> {
    const credentials = {
      api_key: key,
      email: `keyed-${randomBytes(4).toString('hex')}@example.com`,
      password: `pw-${randomBytes(12).toString('base64url')}`,
    };
    return cookieOf(await api.call('POST', `${ACCOUNT}/auth/claim`, credentials));
  }

  async function newKey(as: As, more: object = {}): Promise<{ readonly key: string; readonly id: string }> {
    const { body } = await api.call('POST', `${ACCOUNT}/keys`, { name: 'walked', scopes: ['read', 'account'], ...more }, as);
    return { key: String(body['key']), id: String((body['record'] as { key_id?: string } | undefined)?.key_id) };
  }

  const untilRefused = (key: string) =>
    waitUntil('the key is refused', async () => (await ask({ method: 'GET', path: LATEST }, withKey(key))).status === 401);

  beforeAll(() => {
    api = createAccountApi(started().system);
  });

  it('every keyed route refuses missing, malformed, unknown, revoked and expired credentials with 401 and the same body', async () => {
    const key = await keyOfNewTenant(started().system);
    const revoked = await newKey(withKey(key));
    expect((await api.call('DELETE', `${ACCOUNT}/keys/${revoked.id}`, undefined, withKey(key))).status).toBe(200);
    const expired = await newKey(withKey(key), { expires_at: new Date(Date.now() + 3_000).toISOString() });
    const ended = await sessionOf(key);
    expect((await api.call('POST', `${ACCOUNT}/auth/logout`, undefined, ended)).status).toBe(200);
    await untilRefused(revoked.key);
    await untilRefused(expired.key);
    const wrong: Readonly<Record<string, As>> = {
      none: {},
      malformed: withKey('junk'),
      unknown: withKey(formatKey('live', randomBytes(KEY_RANDOM_SIZE_BYTES))),
      revoked: withKey(revoked.key),
      expired: withKey(expired.key),
      'an unknown session': { cookie: `${SESSION_COOKIE}=${'A'.repeat(43)}` },
      'an ended session': ended,
    };
    const keyed = started().served.operations.filter(({ isKeyed }) => isKeyed);
    expect(keyed.length).toBeGreaterThan(70);
    const bodies = new Set<string>();
    const faults: string[] = [];
    for (const { method, path } of keyed) {
      const about = { method, path: path.replace(/\{[^}]+\}/g, 'some-id') };
      for (const [name, headers] of Object.entries(wrong)) {
        const origin = { origin: started().system.url };
        const { status, text } = await ask(about, { ...origin, ...headers }, method === 'GET' ? undefined : {});
        if (status !== 401) faults.push(`${method} ${path} with ${name}: ${status} ${text.slice(0, 200)}`);
        else bodies.add(text);
      }
    }
    expect(faults).toEqual([]);
    expect([...bodies]).toEqual([expect.stringContaining('"code":"unauthenticated"')]);
  }, 600_000);

  it('knows the owner of the resource that every path parameter of a live route names', () => {
    const names = started().served.operations.flatMap(({ path }) => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ''));
    expect([...new Set(names)].sort()).toEqual(Object.keys(PATH_PARAMETERS).sort());
  });

  /** A tenant's watchlist, alert, saved search, webhook endpoint and test message. */
  async function automationOf(as: As): Promise<Readonly<Record<string, string>>> {
    const create = async (route: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
      const made = await api.call('POST', `${BASE}/${route}`, body, as);
      expect([route, made.status]).toEqual([route, 200]);
      return made.body;
    };
    const rule = { kind: 'state_changed' };
    const watchlist = await create('watchlists', { name: 'n', symbols: ['BTCUSD-PERP'], rules: [rule] });
    const alert = await create('alerts', { name: 'n', symbol: 'BTCUSD-PERP', rule });
    const search = await create('saved-searches', { name: 'n', query: {} });
    const webhook = await create('webhooks', { url: 'https://localhost:8443/hook', event_kinds: ['alert.triggered'] });
    const test = await api.call('POST', `${BASE}/webhooks/${String(webhook['webhook_id'])}/test`, undefined, as);
    return {
      watchlist_id: String(watchlist['watchlist_id']),
      alert_id: String(alert['alert_id']),
      saved_search_id: String(search['saved_search_id']),
      webhook_id: String(webhook['webhook_id']),
      message_id: String(test.body['message_id']),
      task_id: 'tsk_0000000000000000000000aaaa',
    };
  }

  /** A tenant's member, invitation and session. */
  async function teamOf(key: string): Promise<Readonly<Record<string, string>>> {
    const session = await sessionOf(key);
    const [members, me] = [
      await api.call('GET', `${ACCOUNT}/members`, undefined, session),
      await api.call('GET', `${ACCOUNT}/me`, undefined, session),
    ];
    const email = `invited-${randomBytes(4).toString('hex')}@example.com`;
    const invited = await api.call('POST', `${ACCOUNT}/invitations`, { email, role: 'member' }, session);
    const [[member], [open]] = [members.body['rows'], me.body['sessions']] as [
      readonly { account_id: string }[],
      readonly { session_id: string }[],
    ];
    return {
      account_id: member?.account_id ?? '',
      invitation_id: (invited.body['invitation'] as { invitation_id: string }).invitation_id,
      session_id: open?.session_id ?? '',
    };
  }

  it("every route about a tenant\'s own resource answers another tenant as for an unknown id: 404", async () => {
    const theirKey = await keyOfNewTenant(started().system);
    const theirs = await newKey(withKey(theirKey), { scopes: ['read', 'export', 'automation'] });
    const ordered = await api.call('POST', JOBS, undefined, withKey(theirs.key));
    expect(ordered.status).toBe(200);
    const things: Readonly<Record<string, string>> = {
      key_id: theirs.id,
      job_id: String(ordered.body['job_id']),
      name: 'manifest.json',
      share_id: (await sharePacket(started().system.url, theirs.key)).shareId,
      ...(await automationOf(withKey(theirs.key))),
      ...(await teamOf(theirKey)),
    };
    const ours = withKey(await keyOfNewTenant(started().system));
    // A share can be read by its id without a key.
    const isOwn = ({ path, isKeyed }: ServedOperation): boolean =>
      isKeyed && [...path.matchAll(/\{([^}]+)\}/g)].some(([, name]) => PATH_PARAMETERS[name ?? ''] === 'of_tenant');
    const own = started().served.operations.filter(isOwn);
    const ofJobs = [JOBS, WORKSPACE_JOBS].flatMap((jobs) => [
      `DELETE ${jobs}/{job_id}`,
      `GET ${jobs}/{job_id}`,
      `GET ${jobs}/{job_id}/files/{name}`,
      `GET ${jobs}/{job_id}/result`,
      `GET ${jobs}/{job_id}/review-pack`,
    ]);
    const ofOthers = [
      `DELETE ${ACCOUNT}/invitations/{invitation_id}`,
      `DELETE ${ACCOUNT}/keys/{key_id}`,
      `DELETE ${ACCOUNT}/members/{account_id}`,
      `DELETE ${ACCOUNT}/sessions/{session_id}`,
      `DELETE ${BASE}/alerts/{alert_id}`,
      `DELETE ${BASE}/saved-searches/{saved_search_id}`,
      `DELETE ${BASE}/shares/{share_id}`,
      `DELETE ${BASE}/watchlists/{watchlist_id}`,
      `DELETE ${BASE}/webhooks/{webhook_id}`,
      `GET ${BASE}/alerts/{alert_id}`,
      `GET ${BASE}/saved-searches/{saved_search_id}`,
      `GET ${BASE}/saved-searches/{saved_search_id}/results`,
      `GET ${BASE}/watchlists/{watchlist_id}`,
      `GET ${BASE}/webhooks/events/{message_id}`,
      `GET ${BASE}/webhooks/tasks/{task_id}`,
      `GET ${BASE}/webhooks/{webhook_id}`,
      `PATCH ${ACCOUNT}/keys/{key_id}`,
      `PATCH ${ACCOUNT}/members/{account_id}`,
      `PATCH ${BASE}/alerts/{alert_id}`,
      `PATCH ${BASE}/saved-searches/{saved_search_id}`,
      `PATCH ${BASE}/watchlists/{watchlist_id}`,
      `PATCH ${BASE}/webhooks/{webhook_id}`,
      `POST ${BASE}/watchlists/{watchlist_id}/rehearsal`,
      `POST ${BASE}/webhooks/events/{message_id}/resend`,
      `POST ${BASE}/webhooks/{webhook_id}/confirm`,
      `POST ${BASE}/webhooks/{webhook_id}/enable`,
      `POST ${BASE}/webhooks/{webhook_id}/recover`,
      `POST ${BASE}/webhooks/{webhook_id}/replay-missing`,
      `POST ${BASE}/webhooks/{webhook_id}/rotate-secret`,
      `POST ${BASE}/webhooks/{webhook_id}/test`,
    ];
    expect(own.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...ofJobs, ...ofOthers].sort());
    for (const { method, path } of own) {
      const answers: Refusal[] = [];
      for (const isTheirs of [true, false]) {
        const about = path.replace(/\{([^}]+)\}/g, (_braces, name: string) => {
          const thing = things[name] ?? '';
          return isTheirs ? thing : thing.replace(/.{4}$/, 'zzzz');
        });
        answers.push(await ask({ method, path: about }, ours, method === 'PATCH' || NEEDS_BODY.test(path) ? bodyOf(path) : undefined));
      }
      expect(answers[0]).toMatchObject({ status: 404 });
      expect(answers[0]).toEqual(answers[1]);
    }
    expect((await ask({ method: 'GET', path: LATEST }, withKey(theirs.key))).status).toBe(200);
  });
}
