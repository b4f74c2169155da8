import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { labeling } from '@market-state/contracts';
import { sha256Hex } from '@market-state/labeler';
import { waitUntil } from '@market-state/testing';
import { BTC, type LabelingBench, labelPurely, type RunningLabeling, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

const { Share_Standing: Standing } = labeling;
const DAY_MS = 86_400_000;
const packets = labelPurely(syntheticLog({ symbol: BTC, seconds: 60, seed: 12 }));
const events = packets.map(({ eventId }) => eventId);

let bench: LabelingBench;
let running: RunningLabeling;
let folder: string;
let nowMs: number;
let knownMs: number;
let operations = 0;

beforeAll(async () => {
  bench = await startBench();
  folder = mkdtempSync(join(tmpdir(), 'shares-'));
  nowMs = Date.now();
  await bench.append(syntheticLog({ symbol: BTC, seconds: 60, seed: 12 }));
  await restart();
  await bench.waitForPackets(BTC, packets.length);
  // The packets of the log are from a live venue; recorded ones may be shared everywhere.
  await bench.ownerSql('ALTER TABLE packet DISABLE TRIGGER USER');
  await bench.ownerSql(`UPDATE packet SET source_kind = 'recorded'`);
  const [first] = await bench.sql<{ known: number }>('SELECT known_ts_ms::float8 AS known FROM packet WHERE event_id = $1', [events[0]]);
  knownMs = first?.known ?? 0;
});
afterAll(async () => {
  await running.close();
  await bench.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  await bench.ownerSql('TRUNCATE share');
  nowMs = knownMs + 600_000;
});

async function restart(sharesLive = false): Promise<void> {
  running = await bench.start({ clock: () => nowMs }, [BTC], { sharesLive, signingKeyFile: join(folder, 'key.pem') });
}

async function create(requested: Partial<labeling.CreateShareRequest> = {}): Promise<labeling.Share> {
  const operationId = `op_${(operations += 1)}`;
  const order = { tenantId: 'ten_1', planId: 'public_builder', operationId, eventId: events[0] ?? '', days: 30, ...requested };
  const { share } = await running.client.call.createShare(order);
  if (share === undefined) throw new Error('no share');
  return share;
}
const read = (shareId: string) => running.client.call.getShare({ shareId });
const list = (tenantId = 'ten_1', pageSize = 0, pageToken = '') => running.client.call.listShares({ tenantId, pageSize, pageToken });

test('a share gives the very bytes of its packet, and the key that signed it', async () => {
  const share = await create();
  const { body, share: reported, tenantId } = await read(share.shareId);
  expect(body.toString('utf8')).toBe(packets[0]?.body);
  expect([reported?.packetDigest, reported?.standing, tenantId]).toEqual([sha256Hex(body), Standing.ACTIVE, 'ten_1']);
  expect([reported?.signature.length, reported?.signingKey?.publicKey.length]).toEqual([64, 32]);
  expect(share.expiresMs - share.createdMs).toBe(30 * DAY_MS);
  expect(share.shareId).toMatch(/^shr_[0-9a-hjkmnp-tv-z]{26}$/);
});

test('a packet can be shared when it has been known for 600 s, and not a millisecond before', async () => {
  nowMs = knownMs + 599_999;
  const refused = { reason: 'packet_too_young', metadata: { shareable_ms: String(knownMs + 600_000) } };
  await expect(create()).rejects.toMatchObject(refused);
  nowMs += 1;
  expect((await create()).standing).toBe(Standing.ACTIVE);
});

test('when its time is over, or it is revoked, the packet is gone and what proves it stays', async () => {
  const [expiring, revoked] = [await create({ days: 1 }), await create()];
  nowMs = expiring.expiresMs - 1;
  expect((await read(expiring.shareId)).body.length).toBeGreaterThan(0);
  nowMs += 1;
  const { share: atEnd, body } = await read(expiring.shareId);
  expect([atEnd?.standing, body.length]).toEqual([Standing.EXPIRED, 0]);
  expect(atEnd).toEqual({ ...expiring, standing: Standing.EXPIRED });

  const { share: ended } = await running.client.call.revokeShare({ tenantId: 'ten_1', shareId: revoked.shareId });
  expect(ended).toEqual({ ...revoked, standing: Standing.REVOKED, revokedMs: nowMs });
  nowMs += 5_000;
  const again = await running.client.call.revokeShare({ tenantId: 'ten_1', shareId: revoked.shareId });
  expect(again.share).toEqual(ended);
  expect((await read(revoked.shareId)).body).toHaveLength(0);
  const kept = await bench.sql('SELECT share_id FROM share WHERE packed_body IS NOT NULL');
  expect(kept).toEqual([{ share_id: expiring.shareId }]);
});

test('a share outlives its packet', async () => {
  nowMs += 60_000;
  const { shareId } = await create({ eventId: events[1] });
  await bench.ownerSql(`DELETE FROM packet WHERE event_id = '${events[1]}'`);
  await expect(running.client.call.getPacket({ eventId: events[1] ?? '', asOfMs: 0 })).rejects.toMatchObject({ reason: 'unknown_packet' });
  expect((await read(shareId)).body.toString('utf8')).toBe(packets[1]?.body);
});

test('packets of a live venue are shared only where the operator has said so, and no longer when it is taken back', async () => {
  await bench.ownerSql(`UPDATE packet SET source_kind = 'live' WHERE event_id = '${events[2]}'`);
  nowMs += 60_000;
  await expect(create({ eventId: events[2] })).rejects.toMatchObject({ reason: 'live_sharing_off' });
  await running.close();
  await restart(true);
  const { shareId } = await create({ eventId: events[2] });
  expect((await read(shareId)).body.length).toBeGreaterThan(0);
  await running.close();
  await restart(false);
  const { share, body } = await read(shareId);
  expect([share?.standing, body.length]).toEqual([Standing.WITHHELD, 0]);
});

test('a call that is repeated makes one share, and no tenant has more active ones than its plan allows', async () => {
  const first = await create({ operationId: 'op_same' });
  expect(await create({ operationId: 'op_same' })).toEqual(first);
  const made = await Promise.all(Array.from({ length: 49 }, () => create()));
  await expect(create()).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED', reason: 'too_many_shares', metadata: { limit: '50' } });
  expect((await create({ tenantId: 'ten_2' })).standing).toBe(Standing.ACTIVE);
  await running.client.call.revokeShare({ tenantId: 'ten_1', shareId: made[0]?.shareId ?? '' });
  expect((await create()).standing).toBe(Standing.ACTIVE);
});

test('a tenant sees and ends its own shares alone, newest first, page by page', async () => {
  const made: string[] = [];
  for (let total = 0; total < 5; total += 1) {
    nowMs += 1_000;
    made.unshift((await create()).shareId);
  }
  const other = await create({ tenantId: 'ten_2' });
  const seen: string[] = [];
  for (let token = '', pages = 0; pages < 3; pages += 1) {
    const page = await list('ten_1', 2, token);
    seen.push(...page.shares.map(({ shareId }) => shareId));
    token = page.nextPageToken;
    expect(token === '').toBe(pages === 2);
  }
  expect(seen).toEqual(made);
  const unknown = { code: 'NOT_FOUND', reason: 'unknown_share' };
  await expect(running.client.call.revokeShare({ tenantId: 'ten_1', shareId: other.shareId })).rejects.toMatchObject(unknown);
  await expect(read(`shr_${'0'.repeat(26)}`)).rejects.toMatchObject(unknown);
  await expect(read(`' OR true`)).rejects.toMatchObject(unknown);
  expect((await read(other.shareId)).share?.standing).toBe(Standing.ACTIVE);
});

test('bad orders are refused with every fault at once', async () => {
  const bad = { tenantId: '', planId: '', operationId: '', eventId: 'evt_1', days: 91 };
  const fields = ['tenant_id', 'plan_id', 'operation_id', 'event_id', 'days'];
  const refusal = (await create(bad).catch((error: unknown) => error)) as { readonly faults: readonly { readonly field: string }[] };
  expect(refusal.faults.map(({ field }) => field)).toEqual(fields);
  await expect(list('ten_1', 0, 'x')).rejects.toMatchObject({ faults: [{ field: 'page_token' }] });
  await expect(create({ eventId: `evt_${'0'.repeat(26)}` })).rejects.toMatchObject({ reason: 'unknown_packet' });
});

test('a sweep deletes the packets of shares that have ended, and a year later the shares', async () => {
  const { shareId, expiresMs } = await create({ days: 1 });
  const sweptAt = async (atMs: number) => {
    nowMs = atMs;
    // The first turn of a service is at its start.
    await running.close();
    await restart();
    return waitUntil('the sweep has been there', async () => {
      const rows = await bench.sql<{ body: boolean }>('SELECT packed_body IS NOT NULL AS body FROM share WHERE share_id = $1', [shareId]);
      return rows[0]?.body === true ? undefined : { rows };
    });
  };
  expect(await sweptAt(expiresMs)).toEqual({ rows: [{ body: false }] });
  expect((await read(shareId)).share?.packetDigest).toBe(packets[0]?.packetDigest);
  await sweptAt(expiresMs + 365 * DAY_MS);
  await waitUntil('no share', async () => (await bench.sql('SELECT share_id FROM share')).length === 0);
  await expect(read(shareId)).rejects.toMatchObject({ reason: 'unknown_share' });
});
