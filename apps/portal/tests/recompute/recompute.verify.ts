import { generateKeyPairSync, sign } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { bundlesOfLog, loadPolicy, type LogBundle, publicKeyBytesOf, signingKeyOf } from '@market-state/labeler';
import { bundleLines, editedPolicy, openLab, relabelLab } from '@market-state/labeler/lab';
import { scenarioEvents } from '@market-state/scenarios';
import { findChromium, type LabPageAnswer, openRecomputePage, type RecomputePage } from '@market-state/testing';

const WORKER_BYTES_MAX = 130_000;

const policy = loadPolicy();
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = signingKeyOf(publicKeyBytesOf(publicKey));
const x = Buffer.from(key.publicKeyBytes).toString('base64url');
const published = { policyFiles: policy.files, keys: [{ kid: key.keyId, x }] };
const bundles = bundlesOfLog(scenarioEvents({ scenario: 'balanced', seed: 3, hours: 1 }), {
  symbol: 'SIMUSD-PERP',
  policy,
  packetTotal: 6,
  key,
  sign: (digest) => sign(null, Buffer.from(digest, 'hex'), privateKey).toString('base64'),
});
bundles.next();
const bundle = bundles.next().value as LogBundle;
const packed = gzipSync(bundle.lines.join('\n'));

/** Skipped on machines without Chromium. */
const inChromium = findChromium() === null ? describe.skip : describe;

inChromium("the portal's recompute worker, in Chromium under the portal's content security policy", () => {
  let page: RecomputePage;
  beforeAll(async () => {
    page = await openRecomputePage();
  });
  afterAll(() => page.close());
  afterEach(() => expect(page.complaints()).toEqual([]));

  it("is at most 130 kB, and so is the lab's", () => {
    expect(page.workerScripts).toHaveLength(2);
    for (const script of page.workerScripts) {
      const bytes = gzipSync(script, { level: 9 }).length;
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThanOrEqual(WORKER_BYTES_MAX);
    }
  });

  it('verifies body, maker and derivation of a bundle, and reports progress', async () => {
    const { answer, progressTotal } = await page.check(packed, published);
    const holds = { outcome: 'holds', packetTotal: 6 };
    expect(answer).toMatchObject({
      type: 'checked',
      check: { holds: true, body: holds, maker: holds, derivation: holds, checkpointMs: bundle.checkpoint?.window_end_ms },
      moved: null,
    });
    expect(progressTotal).toBeGreaterThan(0);
  });

  it.each([1, 20])('finds the trade %d from the end moved by 0.1, and names the first difference', async (trade) => {
    const { answer } = await page.check(packed, { ...published, tamper: { trade } });
    if (answer.type !== 'checked') throw new Error(answer.lines.join());
    expect(answer.check).toMatchObject({ holds: false, body: { outcome: 'holds' }, derivation: { outcome: 'broken' } });
    expect(answer.check.firstDifference).toMatchObject({ in: 'packet' });
    expect(answer.moved?.ordinal).toBeGreaterThan(bundle.entries[0]?.ordinal ?? Number.NaN);
    expect(answer.tradeTotal).toBeGreaterThan(20);
  });

  it("finds the shipped sample right from its log's first entry, with no published key, and a moved trade in it", async () => {
    const holds = { outcome: 'holds', packetTotal: 26 };
    expect((await page.checkSample()).answer).toMatchObject({
      check: { holds: true, body: holds, maker: holds, derivation: holds, checkpointMs: null },
    });
    expect((await page.checkSample({ tamper: { trade: 1 } })).answer).toMatchObject({
      check: { holds: false, derivation: { outcome: 'broken', packetTotal: 25 }, firstDifference: { in: 'packet' } },
    });
  });

  it('refuses an invalid bundle with a message, and a trade that is not there', async () => {
    const cut = await page.check(packed.subarray(0, 5_000), published);
    expect(cut.answer).toEqual({ type: 'refused', lines: ['the bundle is not gzip of lines, or is truncated'] });
    const { answer } = await page.check(packed, { ...published, tamper: { trade: 100_000 } });
    expect(answer).toEqual({ type: 'refused', lines: ['The bundle has no trade 100000.'] });
  });

  it("ignores a key published under another key's id", async () => {
    const { answer } = await page.check(packed, { ...published, keys: [{ kid: `key_${'0'.repeat(26)}`, x }] });
    expect(answer).toMatchObject({ check: { maker: { outcome: 'broken' }, derivation: { outcome: 'holds' } } });
  });

  it('reproduces the published packets byte for byte, and matches the labeler in Node under edited numbers', async () => {
    const edits = { 'thresholds.pressure.watch': '0.02', 'dwell.packets': '1' };
    const { opened, answers } = await page.label(packed, policy.files, [
      {},
      edits,
      { 'dwell.packets': '0', 'thresholds.flow.watch': '0.9' },
    ]);
    if (opened.type !== 'opened') throw new Error(opened.lines.join());
    const published = bundle.packets.map(({ packet_digest: digest }) => digest);
    expect(opened.readings.map(({ packetDigest }) => packetDigest)).toEqual(published);
    const [same, moved, refused] = answers.map(({ answer }) => answer);
    expect(same).toMatchObject({ type: 'relabelled', changes: [], policyDigest: policy.digest });
    const digestsOf = (answer: LabPageAnswer | undefined) =>
      answer?.type === 'relabelled' ? answer.readings.map(({ packetDigest }) => packetDigest) : [];
    expect(digestsOf(same)).toEqual(published);
    const lab = await openLab(await bundleLines(Uint8Array.from(packed)), policy.files);
    const other = editedPolicy(policy, edits);
    if (!('digest' in other)) throw new Error('no policy');
    expect(digestsOf(moved)).toEqual(relabelLab(lab, other).map(({ packetDigest }) => packetDigest));
    expect(digestsOf(moved)).not.toEqual(published);
    expect(refused).toMatchObject({
      type: 'faults',
      faults: [
        { path: 'dwell.packets', says: '(0) must be >= 1' },
        { path: 'thresholds.flow.elevated', says: '(0.5) is not above watch (0.9)' },
      ],
    });
  });

  it('ends immediately when its page aborts', async () => {
    const reason = await page.page.evaluate(() => {
      const { recompute } = globalThis as unknown as { recompute(request: object, options: object): Promise<unknown> };
      const leaving = new AbortController();
      const answer = recompute({ bundle: new ArrayBuffer(9), policyFiles: {}, keys: null }, { signal: leaving.signal });
      leaving.abort(new Error('left'));
      return answer.catch((error: Error) => error.message);
    });
    expect(reason).toBe('left');
  });
});
