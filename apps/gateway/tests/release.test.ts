import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { openApiDocument } from '../src/serving/openapi/document';
import { recordRelease, readReleaseRecord } from '../src/release/release-parts';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { buildRelease, hashOf, PORTAL, programPart, writePortal } from './stand-in/built-release';

const STATUS = '/api/public/market-state/status/release';
const PREVIEW = '/api/public/market-state/demo/release';
const MINUTE_MS = 60_000;
const check = responseCheck('ReleaseStatus');

interface Part {
  readonly name: string;
  readonly sha256: string;
}

/** Independent implementation of the documented fingerprint. */
function fingerprint(parts: readonly Part[]): string {
  const lines = [...parts].sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, sha256 }) => `${sha256}  ${name}\n`);
  return createHash('sha256').update(lines.join('')).digest('hex');
}

describe('the release status', () => {
  const builtAtUtc = '2026-01-01T00:00:00.000Z';
  let root: string;
  let built: ReturnType<typeof buildRelease>;
  let booted: BootedGateway;
  let nowMs: number;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'release-'));
    built = buildRelease(root, builtAtUtc);
    nowMs = Date.now();
    const { recordFile, programFile, portalDir } = built;
    booted = await bootGateway({ now: () => nowMs, config: { release: { recordFile, programFile }, portalDir } });
  });
  afterEach(async () => {
    await booted.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function status(): Promise<Record<string, unknown>> {
    const answer = await booted.keyed(STATUS);
    expect(answer.status).toBe(200);
    const body = answer.json();
    expect(check(body)).toBeNull();
    return body;
  }

  it('is ready and current where what runs is what was built', async () => {
    const { parts, release_fingerprint } = readReleaseRecord(built.recordFile) ?? { parts: [] };
    const body = await status();
    const total = Object.keys(openApiDocument.paths).length;
    expect(body).toMatchObject({
      ...{
        api_version: 'v1',
        status: 'ready',
        release_state: 'ready',
        version_match_state: 'current',
        version_drift_check_available: true,
        version_drift_detected: false,
      },
      ...{
        public_release_fingerprint: fingerprint(parts),
        public_expected_release_fingerprint: release_fingerprint,
        release_evidence_available: true,
        customer_safe: true,
      },
      ...{
        build_time_utc: '2026-01-01T00:00:00.000Z',
        release_recorded_at_utc: '2026-01-01T00:00:00.000Z',
        release_contract_generated_at_utc: new Date(nowMs).toISOString(),
      },
      ...{
        openapi_public_path_total: total,
        runtime_openapi_path_total: total,
        openapi_path_count_delta: 0,
        openapi_path_count_match_state: 'matched',
        site_content_parity_state: 'matched',
      },
      ...{
        docs_hash: fingerprint(parts.filter(({ name }) => name.startsWith('document/'))),
        part_total: parts.length,
        differing_parts: [],
        null_reasons: {},
      },
      ...{ requires_api_key: true, metered: true, public_preview_route: PREVIEW },
    });
    expect(body['public_release_fingerprint']).toBe(body['public_expected_release_fingerprint']);
  });

  it('hashes the document that is served, byte for byte', async () => {
    const { openapi_hash: hash, openapi_json_routes: routes } = await status();
    for (const route of routes as string[])
      expect(
        createHash('sha256')
          .update((await booted.get(route)).bytes)
          .digest('hex'),
      ).toBe(hash);
  });

  it('detects a route that somebody added to the router', async () => {
    booted.gateway.app.get('/debug/dump', (_req, res) => void res.end());
    const total = Object.keys(openApiDocument.paths).length;
    expect(await status()).toMatchObject({
      ...{
        release_state: 'drifted',
        version_match_state: 'drifted',
        version_drift_detected: true,
        openapi_path_count_delta: 1,
        openapi_path_count_match_state: 'mismatched',
      },
      ...{
        openapi_public_path_total: total,
        runtime_openapi_path_total: total + 1,
        routes_not_described: ['GET /debug/dump'],
        routes_not_served: [],
      },
      differing_parts: [{ part: 'interface/routes' }],
    });
  });

  it('detects a method added to a described path, though the paths agree in number', async () => {
    booted.gateway.app.delete('/openapi.json', (_req, res) => void res.end());
    expect(await status()).toMatchObject({
      release_state: 'drifted',
      openapi_path_count_match_state: 'matched',
      routes_not_described: ['DELETE /openapi.json'],
    });
  });

  it.each([
    ['dist/labeling.cjs', 'program/labeling', 'matched'],
    ['dist/gateway.cjs', 'program/gateway', 'matched'],
    ['docs/labeling.md', 'document/docs/labeling.md', 'matched'],
    ['dist/portal/home.html', 'portal/home.html', 'mismatched'],
    ['dist/portal/assets/main-0a1b2c3d.js', 'portal/assets/main-0a1b2c3d.js', 'mismatched'],
  ])('detects that %s was changed, a minute after the last look', async (file, part, siteState) => {
    const before = await status();
    writeFileSync(join(root, file), 'changed');
    nowMs += MINUTE_MS;
    const after = await status();
    const found = hashOf('changed');
    expect(after).toMatchObject({
      release_state: 'drifted',
      version_drift_detected: true,
      site_content_parity_state: siteState,
      differing_parts: [{ part, running_sha256: found }],
      openapi_path_count_delta: 0,
    });
    expect(after['public_release_fingerprint']).not.toBe(before['public_release_fingerprint']);
    expect(after['public_expected_release_fingerprint']).toBe(before['public_expected_release_fingerprint']);
    expect(after['docs_hash'] === before['docs_hash']).toBe(!part.startsWith('document/'));
  });

  it('detects that a file is gone', async () => {
    rmSync(join(root, 'README.md'));
    expect(await status()).toMatchObject({
      release_state: 'drifted',
      differing_parts: [{ part: 'document/README.md', running_sha256: null }],
    });
  });

  it('is not taken in by a new build put in place under the running process', async () => {
    rmSync(join(root, 'dist'), { recursive: true });
    rmSync(join(root, 'docs'), { recursive: true });
    mkdirSync(join(root, 'dist'));
    mkdirSync(join(root, 'docs'));
    writeFileSync(join(root, 'docs/labeling.md'), '# How\n');
    writePortal(built.portalDir, { ...PORTAL, 'home.html': 'newer' });
    writeFileSync(join(root, 'dist/gateway.cjs'), 'newer');
    const newerUtc = new Date(nowMs + 1).toISOString();
    const newer = { ...built.facts, built_at_utc: newerUtc, recorded_at_utc: newerUtc };
    recordRelease(built.recordFile, [programPart('gateway', 'newer')], built.released, newer);
    expect(await status()).toMatchObject({
      release_state: 'drifted',
      build_time_utc: '2026-01-01T00:00:00.000Z',
      differing_parts: [
        { part: 'portal/home.html', running_sha256: hashOf('newer') },
        { part: 'program/gateway' },
        { part: 'program/labeling', running_sha256: null },
      ],
    });
  });

  it('names the files of another build of the portal that is served in its place', async () => {
    const other = join(root, 'other-portal');
    writePortal(other, { ...PORTAL, 'home.html': 'another page' });
    const { recordFile, programFile } = built;
    const gateway = await bootGateway({ config: { release: { recordFile, programFile }, portalDir: other } });
    // It serves the build that it read, regardless of later changes.
    writePortal(other);
    const body = (await gateway.get(PREVIEW)).json();
    await gateway.close();
    expect(body).toMatchObject({
      ...{ release_state: 'drifted', site_content_parity_state: 'mismatched' },
      differing_parts: [{ part: 'portal/home.html', expected_sha256: hashOf(PORTAL['home.html']), running_sha256: hashOf('another page') }],
    });
  });

  it('returns the same without a key, as a preview', async () => {
    const preview = await booted.get(PREVIEW);
    expect(check(preview.json())).toBeNull();
    const {
      meta,
      requires_api_key: needsKey,
      metered,
      ...rest
    } = preview.json<Record<string, unknown> & { meta: { response_semantics: object } }>();
    const { meta: keyed, ...withAccess } = await status();
    const same = Object.fromEntries(Object.entries(withAccess).filter(([field]) => field !== 'requires_api_key' && field !== 'metered'));
    expect(rest).toEqual(same);
    expect([needsKey, metered]).toEqual([false, false]);
    expect(meta.response_semantics).toMatchObject({
      response_state: 'preview',
      auth_state: 'pre_key_public',
      requires_api_key: false,
      metered: false,
    });
    expect((keyed as typeof meta).response_semantics).toMatchObject({
      response_state: 'recorded_replay',
      auth_state: 'api_key',
      live_current: false,
    });
  });

  it('has one entity tag between two looks at the files', async () => {
    const [first, second] = [await booted.get(PREVIEW), await booted.get(PREVIEW)];
    expect(second.headers['etag']).toBe(first.headers['etag']);
    expect((await booted.get(PREVIEW, { headers: { 'if-none-match': String(first.headers['etag']) } })).status).toBe(304);
  });
});

it('records programs as they were made, so that a changed program stays a difference when documents are recorded again', () => {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    const { recordFile, programs, released, facts } = buildRelease(root, '1970-01-01T00:00:01.000Z');
    const before = readReleaseRecord(recordFile);
    writeFileSync(join(root, 'dist/labeling.cjs'), 'tampered');
    writeFileSync(join(root, 'README.md'), 'new words');
    recordRelease(recordFile, programs, released, { ...facts, recorded_at_utc: '1970-01-01T00:00:02.000Z' });
    const after = readReleaseRecord(recordFile);
    const recorded = (record: typeof after, name: string) => record?.parts.find((part) => part.name === name)?.sha256;
    expect(recorded(after, 'program/labeling')).toBe(recorded(before, 'program/labeling'));
    expect(recorded(after, 'document/README.md')).not.toBe(recorded(before, 'document/README.md'));
    expect(after).toMatchObject({ built_at_utc: before?.built_at_utc, recorded_at_utc: '1970-01-01T00:00:02.000Z' });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

describe('without a record', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  it('is reported as not recorded, each null with its reason', async () => {
    const body = (await booted.get(PREVIEW)).json();
    expect(check(body)).toBeNull();
    const nulls = Object.entries(body)
      .filter(([, value]) => value === null)
      .map(([field]) => field);
    expect(nulls.filter((field) => field !== 'version_drift_detected').sort()).toEqual(Object.keys(body['null_reasons'] as object).sort());
    expect(body).toMatchObject({
      release_state: 'not_recorded',
      version_match_state: 'not_checked',
      version_drift_check_available: false,
      version_drift_detected: null,
      openapi_path_count_delta: 0,
    });
  });

  it('still detects a route that is not described', async () => {
    booted.gateway.app.get('/debug', (_req, res) => void res.end());
    expect((await booted.get(PREVIEW)).json()).toMatchObject({
      release_state: 'drifted',
      version_drift_detected: true,
      openapi_path_count_delta: 1,
    });
  });
});
