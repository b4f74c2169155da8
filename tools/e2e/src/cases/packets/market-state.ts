import { sharePacket, waitUntil } from '@market-state/testing';
import { type Answer, keyHeader } from '../../system/api';
import { meta, usageReceipt, faultsOf, releaseStatus } from './contract/envelope';
import { LANE_IDS, latestResponse, packet } from './contract/packet';
import type { DefaultSystem } from '../../system/default-system';
import { type Mention, mentionsIn } from './mentions';
import { answerPointer, type ServedOperation } from '../../system/served-document';

const base = '/api/public/market-state';
const jobs = '/api/public/data/export/jobs';
const symbol = 'BTCUSD-PERP';

/** Tasks need live endpoints and there is no receiver here; the webhooks suite covers them. */
const OF_LIVE_ENDPOINTS = `${base}/webhooks/tasks/{task_id}`;

/** Tests of the market-state routes and of every readable answer, on a system with an hour of history. */
export function describeMarketState(started: () => DefaultSystem): void {
  let shared: DefaultSystem;
  /** An event of half an hour ago. */
  let eventId: string;
  let jobId: string;
  /** A webhook endpoint on this machine that nothing serves, and its test. */
  let webhook: { readonly id: string; readonly messageId: string };
  let kept: { readonly watchlistId: string; readonly alertId: string; readonly searchId: string };
  let shareId: string;
  /** Answers of every readable route, by `GET <path>` as in the document. */
  const answers = new Map<string, Answer>();

  beforeAll(async () => {
    shared = started();
    eventId = await olderEvent();
    jobId = await readyExport();
    webhook = await testedWebhook();
    kept = await createdRecords();
    ({ shareId } = await sharePacket(shared.system.url, shared.key));
    for (const operation of readable()) answers.set(nameOf(operation), await shared.api.getWithKey(addressOf(operation.path)));
    mentions = allMentions();
  });

  async function olderEvent(): Promise<string> {
    const { status, body } = await shared.api.getWithKey(`${base}/replay?symbol=${symbol}&replay_window_seconds=1800&limit=1`);
    expect(status).toBe(200);
    return (body as unknown as { packets: { event_id: string }[] }).packets[0]?.event_id ?? '';
  }

  async function readyExport(): Promise<string> {
    const ordered = await shared.api.send('POST', jobs, {
      headers: { 'content-type': 'application/json', [keyHeader]: shared.key },
      body: JSON.stringify({ dataset: 'candles', symbols: [symbol], tf: '15m' }),
    });
    expect([ordered.status, ordered.text]).toEqual([200, expect.any(String)]);
    const id = String(ordered.body['job_id']);
    await waitUntil('an export is ready', async () => (await shared.api.getWithKey(`${jobs}/${id}`)).body['status'] === 'ready');
    return id;
  }

  async function testedWebhook(): Promise<{ readonly id: string; readonly messageId: string }> {
    const made = await shared.api.send('POST', `${base}/webhooks`, {
      headers: { 'content-type': 'application/json', [keyHeader]: shared.key },
      body: JSON.stringify({ url: 'https://localhost:8443/hook', event_kinds: ['alert.triggered'] }),
    });
    expect([made.status, made.text]).toEqual([200, expect.stringContaining('"test_target":true')]);
    const id = String(made.body['webhook_id']);
    const tested = await shared.api.send('POST', `${base}/webhooks/${id}/test`, { headers: { [keyHeader]: shared.key } });
    expect([tested.status, tested.body['succeeded']]).toEqual([200, false]);
    return { id, messageId: String(tested.body['message_id']) };
  }

  async function createdRecords(): Promise<typeof kept> {
    const create = async (route: string, body: object): Promise<Readonly<Record<string, unknown>>> => {
      const made = await shared.api.send('POST', `${base}/${route}`, {
        headers: { 'content-type': 'application/json', [keyHeader]: shared.key },
        body: JSON.stringify(body),
      });
      expect([made.status, made.text]).toEqual([200, expect.stringContaining('"name"')]);
      return made.body;
    };
    const rule = { kind: 'state_changed' };
    const watchlist = await create('watchlists', { name: 'one', symbols: [symbol], rules: [rule] });
    const alert = await create('alerts', { name: 'two', symbol, rule });
    const search = await create('saved-searches', { name: 'three', query: { symbol } });
    return {
      watchlistId: String(watchlist['watchlist_id']),
      alertId: String(alert['alert_id']),
      searchId: String(search['saved_search_id']),
    };
  }

  function nameOf({ method, path }: Pick<ServedOperation, 'method' | 'path'>): string {
    return `${method} ${path}`;
  }

  /** Operations with one JSON answer and without side effects. */
  function readable(): readonly ServedOperation[] {
    return shared.served.operations.filter(
      ({ method, answersWith, path }) => method === 'GET' && answersWith === 'json' && path !== OF_LIVE_ENDPOINTS,
    );
  }

  function addressOf(path: string): string {
    const filled = path
      .replace('{connector_id}', 'rest')
      .replace('{event_id}', eventId)
      .replace('{job_id}', jobId)
      .replace('{webhook_id}', webhook.id)
      .replace('{message_id}', webhook.messageId)
      .replace('{share_id}', shareId)
      .replace('{watchlist_id}', kept.watchlistId)
      .replace('{alert_id}', kept.alertId)
      .replace('{saved_search_id}', kept.searchId);
    return path === `${base}/usage/estimate` ? `${filled}?route=${encodeURIComponent(`${base}/latest`)}` : filled;
  }

  function answerOf(path: string): Readonly<Record<string, unknown>> {
    return answers.get(`GET ${path}`)?.body ?? {};
  }

  test('every route of the document answers', async () => {
    expect(
      [...answers].filter(([, { status }]) => status !== 200).map(([name, { status, text }]) => `${name}: ${status} ${text.slice(0, 300)}`),
    ).toEqual([]);
  });

  test('every answer matches the document', () => {
    const faults = readable().flatMap((operation) => {
      const fault = shared.served.check(answerPointer(operation), answers.get(nameOf(operation))?.body);
      return fault === null ? [] : [`${nameOf(operation)}: ${fault.slice(0, 500)}`];
    });
    expect(faults).toEqual([]);
  });

  /** Answers in formats of their own, and probes. */
  const WITHOUT_META = /openapi\.json$|^GET \/(livez|readyz)$|^GET \/\.well-known\//;

  test('every answer has the envelope, and states its access as in the document', () => {
    const faults = readable()
      .filter((operation) => !WITHOUT_META.test(nameOf(operation)))
      .flatMap((operation) => {
        const own = answers.get(nameOf(operation))?.body['meta'] as { response_semantics?: Record<string, unknown> } | undefined;
        const reported = { requires_api_key: own?.response_semantics?.['requires_api_key'], metered: own?.response_semantics?.['metered'] };
        const wrong =
          JSON.stringify(reported) === JSON.stringify(operation.access) ? [] : [`access is stated as ${JSON.stringify(reported)}`];
        return [...faultsOf('meta', meta, own), ...wrong].map((fault) => `${nameOf(operation)}: ${fault}`);
      });
    expect(faults).toEqual([]);
  });

  test.each([
    ['latest', () => faultsOf('latest', latestResponse, answerOf(`${base}/latest`))],
    ['the packet of the workbench', () => faultsOf('packet', packet, answerOf(`${base}/packets/{event_id}/workbench`)['packet'])],
    ['a usage receipt', () => faultsOf('receipt', usageReceipt, answerOf(`${base}/usage/receipt`))],
    ['the release status with a key', () => faultsOf('release', releaseStatus, answerOf(`${base}/status/release`))],
    ['the release status before a key', () => faultsOf('release', releaseStatus, answerOf(`${base}/demo/release`))],
  ])('%s has every field of the contract, with its type', (_what, faults) => {
    expect(faults()).toEqual([]);
  });

  test('a packet with half an hour of history has every lane, each once', () => {
    const { compute_lanes: lanes } = answerOf(`${base}/packets/{event_id}/workbench`)['packet'] as { compute_lanes: { lane_id: string }[] };
    expect(lanes.map(({ lane_id: id }) => id)).toEqual(LANE_IDS);
  });

  /** Routes that a packet names regardless of what is served, and its policy on them. */
  const OF_A_PACKET =
    /\/(route_refs|workflow_routes|route_guidance|evidence_routes|recommended_route)(\/|$)|labeling-policy \/files\/routes\//;

  /** Routes of a watchlist, an alert or an endpoint, whose descriptions name the method. */
  const OF_A_RECORD = / \/(?:\w+\/)*routes\/(rehearsal|test|rotate_secret)$/;

  const EXAMPLE = /stream\/manifest \/message_kinds\//;

  /** Every route mentioned in an answer, once for each method and target, separately for packets. */
  let mentions: readonly Mention[];

  function allMentions(): Mention[] {
    const all = [...answers]
      .filter(([name]) => !name.endsWith('openapi.json'))
      .flatMap(([name, { body }]) => mentionsIn(body).map((mention) => ({ ...mention, at: `${name} ${mention.at}` })))
      .filter(({ at }) => !EXAMPLE.test(at));
    return [...new Map(all.map((mention) => [`${mention.method} ${mention.target} ${OF_A_PACKET.test(mention.at)}`, mention])).values()];
  }

  function operationOf({ method, target }: Mention): ServedOperation | undefined {
    const [path = ''] = target.split('?');
    const matching = shared.served.operations.filter(
      (operation) => operation.method === method && new RegExp(`^${operation.path.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path),
    );
    return matching.find((operation) => operation.path === path) ?? matching[0];
  }

  function servedWithAnyMethod({ target, at }: Mention): boolean {
    return shared.served.operations.some(({ method }) => operationOf({ method, target, at }) !== undefined);
  }

  test('every route that an answer mentions is in the document', () => {
    expect(mentions.length).toBeGreaterThan(50);
    const faults = mentions.flatMap((mention) => {
      const operation = operationOf(mention);
      if (operation === undefined && (OF_A_PACKET.test(mention.at) || OF_A_RECORD.test(mention.at)) && servedWithAnyMethod(mention))
        return [];
      if (operation === undefined) return [`${mention.method} ${mention.target} is in no document; mentioned at ${mention.at}`];
      return [];
    });
    expect(faults).toEqual([]);
  });

  /** Mentions of one route to follow per answer; a tape names the same few routes for each packet. */
  const FOLLOWED = 3;

  /** URL of a mention; undefined for a template that only its reader can fill in, or for an endless answer. */
  function readableAt(mention: Mention): string | undefined {
    const operation = operationOf(mention);
    if (operation === undefined || operation.method !== 'GET' || operation.answersWith === 'events') return undefined;
    const target = addressOf(mention.target).replace('{symbol}', symbol);
    return /[{<]|%3C/.test(target) ? undefined : target;
  }

  test('every route to read in an answer succeeds as written, with the credential it names', async () => {
    const followed = new Map<string, number>();
    const faults: string[] = [];
    const had = new Map<string, { readonly status: number; readonly text: string }>();
    for (const mention of mentions) {
      const target = readableAt(mention);
      const operation = operationOf(mention);
      if (target === undefined || operation === undefined) continue;
      const group = `${mention.at.split(' ').slice(0, 2).join(' ')} to ${nameOf(operation)}`;
      followed.set(group, (followed.get(group) ?? 0) + 1);
      if ((followed.get(group) ?? 0) > FOLLOWED) continue;
      const answer =
        had.get(target) ??
        (await shared.api
          .getPatiently(target, operation.access.requires_api_key ? { [keyHeader]: shared.key } : {})
          .catch((error: Error) => ({ status: 0, text: `${error.message} ${String(error.cause)}` })));
      had.set(target, answer);
      const { status, text } = answer;
      if (status !== 200) faults.push(`GET ${target}: ${status} ${text.slice(0, 200)}; mentioned at ${mention.at}`);
    }
    expect(followed.size).toBeGreaterThan(50);
    expect(faults).toEqual([]);
  });

  /** Valid bodies for the requests that answers suggest, by path. */
  const bodies: Readonly<Record<string, () => object | undefined>> = {
    [`${base}/feedback/packet`]: () => ({ event_id: eventId, label: 'useful' }),
    [`${base}/account/sandbox-keys`]: () => undefined,
    [`${base}/alerts`]: () => ({ name: 'n', symbol, rule: { kind: 'state_changed' } }),
    [`${base}/saved-searches`]: () => ({ name: 'n', query: {} }),
    [`${base}/watchlists`]: () => ({ name: 'n', symbols: [symbol], rules: [] }),
    [`${base}/webhooks`]: () => ({ url: 'https://localhost:8443/other', event_kinds: ['alert.triggered'] }),
    [`${base}/webhooks/{webhook_id}/test`]: () => undefined,
    [jobs]: () => ({ dataset: 'candles', symbols: [symbol], tf: '15m' }),
  };

  test('every route to send something to in an answer accepts it', async () => {
    const sent = mentions.filter(
      (mention) => mention.method !== 'GET' && operationOf(mention) !== undefined && !/^GET \S+\/data\/manifest /.test(mention.at),
    );
    expect([...new Set(sent.map(({ target }) => target))].filter((target) => !(target in bodies))).toEqual([]);
    for (const { method, target } of sent) {
      const { status, text } = await shared.api.send(method, addressOf(target), {
        headers: { [keyHeader]: shared.key, 'content-type': 'application/json' },
        body: JSON.stringify(bodies[target]?.()),
      });
      expect([target, status, text]).toEqual([target, 200, expect.any(String)]);
    }
  });
}
