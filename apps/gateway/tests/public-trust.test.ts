import { createHash, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyPairKeyObjectResult, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, policyFileNames, signingKeyId } from '@market-state/labeler';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { operations } from '../src/serving/openapi/operations';
import { responseSchemaOf } from '../src/routes/data/get-data-manifest';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { packetRecord } from './stand-in/packet-record';

const DEMO = '/api/public/market-state/demo';
const STATUS = '/api/public/market-state/status';
const KEYS = '/.well-known/market-state-keys.json';
const POLICY_FOLDER = join(import.meta.dirname, '..', '..', '..', 'libs', 'domain', 'labeler', 'policy');

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

function policyFile(name: string): unknown {
  return JSON.parse(readFileSync(join(POLICY_FOLDER, name), 'utf8'));
}

const POLICY = Object.fromEntries(policyFileNames.map((name) => [name.replace('.json', ''), policyFile(name)]));

interface Semantics {
  readonly meta: { readonly response_semantics: Readonly<Record<string, unknown>> };
}

/** Packet with an RFC 8785 body, linked to the previous one and signed. */
function chainOf(symbol: string, windowEndsMs: readonly number[], signKey: KeyPairKeyObjectResult, policyDigest: string) {
  const publicBytes = signKey.publicKey.export({ format: 'der', type: 'spki' }).subarray(12);
  let before = Buffer.alloc(32);
  return windowEndsMs.map((windowEndMs, index) => {
    const plain = packetRecord(symbol, windowEndMs);
    const body = Buffer.from(canonicalJson(JSON.parse(plain.body.toString('utf8'))));
    const digest = createHash('sha256').update(body).digest();
    before = createHash('sha256').update(before).update(digest).digest();
    return packetRecord(symbol, windowEndMs, {
      body,
      sequence: index + 1,
      packetDigest: digest.toString('hex'),
      lineageDigest: before.toString('hex'),
      policyDigest,
      signature: sign(null, digest, signKey.privateKey),
      signingKeyId: signingKeyId(publicBytes),
    });
  });
}

describe('service metadata', () => {
  const nowMs = Date.now();
  const lastMs = lastWindowEndMs(nowMs);
  const pair = generateKeyPairSync('ed25519');
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(12);
  let booted: BootedGateway;
  let policyDigest: string;

  beforeAll(async () => {
    policyDigest = sha256(canonicalJson(POLICY));
    booted = await bootGateway({ now: () => nowMs, packets: false });
    booted.labeling.setSigningKeys([
      { keyId: signingKeyId(publicKey), publicKey: Buffer.from(publicKey), validFromMs: lastMs - 3_600_000, validToMs: 0 },
    ]);
    for (const symbol of ['BTCUSD-PERP', 'ETHUSD-PERP']) {
      const ends = Array.from({ length: 40 }, (_end, index) => lastMs - 700_000 - (39 - index) * 10_000).concat(lastMs);
      for (const record of chainOf(symbol, ends, pair, policyDigest)) booted.labeling.push(record);
    }
    await booted.until(async () => (await booted.get('/readyz')).status === 200);
  });
  afterAll(() => booted.close());

  const MINE = [
    'getReleaseStatus',
    'getProofStatus',
    'getSourceQuality',
    'getAccuracy',
    'getL4HistoryRoadmap',
    'getDemoRelease',
    'getDemoProof',
    'getDemoSourceQuality',
    'getDemoBuild',
    'getLabelingPolicy',
    'getComputeLanes',
    'getStateTaxonomy',
    'getSigningKeys',
  ];

  it.each(MINE)('%s keeps to its schema and says truly what opened it', async (operationId) => {
    const operation = operations.find((candidate) => candidate.operationId === operationId);
    if (operation === undefined) throw new Error(operationId);
    const answer = operation.requiresApiKey ? await booted.keyed(operation.path) : await booted.get(operation.path);
    expect(answer.status).toBe(200);
    const body = answer.json<Semantics>();
    expect(responseCheck(responseSchemaOf(operation) ?? '')(body)).toBeNull();
    const preview = operation.path.includes('/demo/');
    expect(body.meta.response_semantics).toMatchObject({
      auth_state: operation.requiresApiKey ? 'api_key' : 'pre_key_public',
      requires_api_key: operation.requiresApiKey,
      metered: operation.metered,
      live_current: false,
      ...(preview ? { response_state: 'preview' } : {}),
    });
    expect(answer.headers['x-credits-charged']).toBe(operation.metered ? '0' : undefined);
  });

  it('says of a difference what is recorded, what the venue says, and whether it is over; of days before the runs nothing', async () => {
    const { differences, ...answer } = (await booted.keyed(`${STATUS}/accuracy?symbol=ALL`)).json<{
      differences: { symbol: string; closed_utc: string | null; sentence: string }[];
      source: { detail: string };
      open_difference_total: number;
    }>();
    expect(answer.open_difference_total).toBe(differences.length);
    expect(answer.source.detail).toContain(`Open differences from the venue: ${differences.length} (as of `);
    expect(differences.find(({ symbol }) => symbol === 'BTCUSD-PERP')).toMatchObject({
      closed_utc: null,
      sentence: 'Best prices of BTCUSD-PERP differed.',
    });
    const one = (await booted.keyed(`${STATUS}/accuracy?symbol=ETHUSD-PERP&to=2025-12-01T00:00:00Z`)).json();
    expect(one).toMatchObject({ symbol: 'ETHUSD-PERP', rows: [], differences: [], kept_days: 90 });
    expect((await booted.keyed(`${STATUS}/accuracy?symbol=XRPUSD-PERP`)).status).toBe(404);
  });

  it('publishes the policy files whole, and their digest follows from the answer alone', async () => {
    const body = (await booted.get(`${DEMO}/labeling-policy`)).json();
    expect(body['files']).toEqual(POLICY);
    expect(body['policy_digest']).toBe(sha256(canonicalJson(body['files'])));
    expect(body['file_total']).toBe(policyFileNames.length);
  });

  it('publishes the taxonomy and the compute lanes exactly as in their files', async () => {
    const taxonomy = (await booted.get(`${DEMO}/state-taxonomy`)).json<{ taxonomy: object; tags: { tag: string; meaning: string }[] }>();
    expect(taxonomy.taxonomy).toEqual(POLICY['taxonomy']);
    expect(new Set(taxonomy.tags.map(({ tag }) => tag)).size).toBe(taxonomy.tags.length);
    expect(taxonomy.tags.filter(({ meaning }) => meaning === '')).toEqual([]);
    const lanes = (await booted.get(`${DEMO}/compute-lanes`)).json<{
      policy_file: object;
      lanes: Record<string, unknown>[];
      lane_numbers: object;
    }>();
    expect(lanes.policy_file).toEqual(POLICY['lanes']);
    expect(lanes.lane_numbers).toEqual((POLICY['numbers'] as Record<string, unknown>)['lanes']);
    const table = lanes.lanes.map((lane) => [lane['lane_id'], lane['horizon'], lane['latency_budget_ms'], lane['blocking_latest_route']]);
    expect(table.slice(0, 4)).toEqual([
      ['hot_path', 'current_snapshot_to_5s', 50, true],
      ['short_window', '30s_to_5m', 250, false],
      ['session_regime', '15m_to_6h', 2_000, false],
      ['historical_replay', 'hours_to_days', 10_000, false],
    ]);
    expect(table[4]?.[0]).toBe('event_lineage');
  });

  it.each(['labeling-policy', 'state-taxonomy', 'compute-lanes', 'build'])('%s is one representation with one entity tag', async (name) => {
    const first = await booted.get(`${DEMO}/${name}`);
    const again = await booted.get(`${DEMO}/${name}`, { headers: { 'if-none-match': String(first.headers['etag']) } });
    expect([first.status, again.status]).toEqual([200, 304]);
  });

  it('returns the policy that packets named at an instant, the current one for the future, and 410 before', async () => {
    const at = (asOf: number) => booted.get(`${DEMO}/labeling-policy?as_of=${asOf}`);
    expect((await at(lastMs - 700_000)).json()).toMatchObject({
      policy_digest: policyDigest,
      as_of_utc: new Date(lastMs - 700_000).toISOString(),
    });
    expect((await at(nowMs + 60_000)).json()).toMatchObject({ as_of_utc: new Date(nowMs).toISOString() });
    const tooOld = await at(lastMs - 9_000_000);
    expect(tooOld.status).toBe(410);
    expect(Math.abs(Date.parse(String(tooOld.json()['oldest_available_utc'])) - (lastMs - 1_090_000))).toBeLessThanOrEqual(10_000);
  });

  it('returns keys that are sufficient to verify a served packet', async () => {
    const set = (await booted.get(KEYS)).json<{
      keys: (Record<string, string | null> & { kid: string; valid_from_utc: string })[];
      signing_key_id: string;
    }>();
    const { rows, packet_refs: refs } = (await booted.keyed('/api/public/market-state/latest?symbol=BTCUSD-PERP')).json<{
      rows: { packet: object }[];
      packet_refs: { packet_digest: string; signature: string; signing_key_id: string }[];
    }>();
    const [ref] = refs;
    const digest = sha256(canonicalJson(rows[0]?.packet));
    expect(digest).toBe(ref?.packet_digest);
    const jwk = set.keys.find(({ kid }) => kid === ref?.signing_key_id);
    expect(jwk).toMatchObject({
      kty: 'OKP',
      crv: 'Ed25519',
      key_state: 'signing',
      valid_to_utc: null,
      valid_from_utc: new Date(lastMs - 3_600_000).toISOString(),
    });
    const key = createPublicKey({ key: jwk as unknown as JsonWebKey, format: 'jwk' });
    const signature = Buffer.from(ref?.signature ?? '', 'base64');
    expect(verify(null, Buffer.from(digest, 'hex'), key, signature)).toBe(true);
    expect(verify(null, Buffer.from(sha256('another packet'), 'hex'), key, signature)).toBe(false);
    expect(set.signing_key_id).toBe(ref?.signing_key_id);
  });

  it('says of packets in a chain that it holds, over those that were read', async () => {
    const body = (await booted.keyed(`${STATUS}/proof`)).json<{ proofs: Record<string, unknown>[] }>();
    const proof = (id: string) => body.proofs.find(({ proof_id: found }) => found === id);
    const checked = {
      symbol: 'BTCUSD-PERP',
      check_state: 'passed',
      checked_total: expect.any(Number),
      checked_to_utc: new Date(lastMs).toISOString(),
    };
    for (const id of ['packet_lineage', 'packet_signatures', 'policy_published'])
      expect(proof(id)).toMatchObject({
        check_state: 'passed',
        evidence_state: 'ready',
        symbols: expect.arrayContaining([expect.objectContaining(checked)]),
      });
    // The stand-in has no rows of the replayed window.
    expect(proof('replay_receipts')).toMatchObject({
      check_state: 'not_checked',
      evidence_state: 'held',
      symbols: expect.arrayContaining([expect.objectContaining({ checked_total: 0, detail: expect.stringMatching(/has no rows\.$/) })]),
    });
    expect(body).toMatchObject({ status: 'ready', failed_total: 0 });
  });

  it('shows no packet younger than 600 s in its preview', async () => {
    const body = (await booted.get(`${DEMO}/proof`)).json<{ proofs: { symbols: { checked_to_utc: string | null }[] }[] }>();
    const times = body.proofs.flatMap(({ symbols }) => symbols.flatMap(({ checked_to_utc: to }) => (to === null ? [] : [Date.parse(to)])));
    expect(times.length).toBeGreaterThan(0);
    expect(Math.max(...times)).toBeLessThanOrEqual(nowMs - 600_000);
    const quality = (await booted.get(`${DEMO}/source-quality`)).json<{
      as_of_utc: string;
      symbols: { newest_packet: { window_end_utc: string } | null }[];
    }>();
    expect(Date.parse(quality.as_of_utc)).toBeLessThanOrEqual(nowMs - 600_000);
    for (const { newest_packet: packet } of quality.symbols)
      if (packet !== null) expect(Date.parse(packet.window_end_utc)).toBeLessThanOrEqual(nowMs - 600_000);
  });

  it('mentions no route that is not in the document', async () => {
    const paths = new Set(operations.map(({ path }) => path));
    for (const path of [`${DEMO}/proof`, `${DEMO}/source-quality`, `${DEMO}/release`, `${DEMO}/build`, KEYS]) {
      const mentioned = (await booted.get(path)).text.match(/(?<=")\/(?:api|openapi|docs|\.well)[^"?]*/g) ?? [];
      expect([path, mentioned.filter((route) => !paths.has(route))]).toEqual([path, []]);
    }
  });
});

describe('a proof that does not hold', () => {
  const pair = generateKeyPairSync('ed25519');
  const other = generateKeyPairSync('ed25519');
  const publicBytes = (key: typeof pair) => Buffer.from(key.publicKey.export({ format: 'der', type: 'spki' }).subarray(12));
  let booted: BootedGateway;

  async function proofAfter(change: (records: ReturnType<typeof chainOf>) => ReturnType<typeof chainOf>, id: string) {
    booted = await bootGateway({ packets: false });
    try {
      booted.labeling.setSigningKeys([
        { keyId: signingKeyId(publicBytes(pair)), publicKey: publicBytes(pair), validFromMs: 1, validToMs: 0 },
      ]);
      const endMs = lastWindowEndMs();
      for (const record of change(chainOf('BTCUSD-PERP', [endMs - 20_000, endMs - 10_000, endMs], pair, sha256(canonicalJson(POLICY)))))
        booted.labeling.store(record);
      const body = (await booted.keyed(`${STATUS}/proof`)).json<{
        status: string;
        proofs: { proof_id: string; check_state: string; symbols: { symbol: string; detail: string }[] }[];
      }>();
      return { status: body.status, proof: body.proofs.find(({ proof_id: found }) => found === id) };
    } finally {
      await booted.close();
    }
  }

  it.each<[string, string, (records: ReturnType<typeof chainOf>) => ReturnType<typeof chainOf>]>([
    [
      'a changed body',
      'packet_lineage',
      ([a, b, c]) => [a, { ...b, body: Buffer.concat([b?.body ?? Buffer.alloc(0), Buffer.from(' ')]) }, c] as ReturnType<typeof chainOf>,
    ],
    ['a packet left out', 'packet_lineage', ([a, , c]) => [a, c] as ReturnType<typeof chainOf>],
    ['a forged link', 'packet_lineage', ([a, b, c]) => [a, b, { ...c, lineageDigest: '0'.repeat(64) }] as ReturnType<typeof chainOf>],
    [
      'a signature of another key',
      'packet_signatures',
      ([a, b, c]) =>
        [a, b, { ...c, signature: sign(null, Buffer.from(c?.packetDigest ?? '', 'hex'), other.privateKey) }] as ReturnType<typeof chainOf>,
    ],
    [
      'a key that is not published',
      'packet_signatures',
      ([a, b, c]) => [a, b, { ...c, signingKeyId: signingKeyId(publicBytes(other)) }] as ReturnType<typeof chainOf>,
    ],
    ['another policy', 'policy_published', ([a, b, c]) => [a, b, { ...c, policyDigest: '1'.repeat(64) }] as ReturnType<typeof chainOf>],
  ])('is reported as failed: %s', async (_name, id, change) => {
    const { status, proof } = await proofAfter(change, id);
    expect(status).toBe('failed');
    expect(proof).toMatchObject({
      check_state: 'failed',
      symbols: expect.arrayContaining([expect.objectContaining({ symbol: 'BTCUSD-PERP', check_state: 'failed' })]),
    });
  });
});
