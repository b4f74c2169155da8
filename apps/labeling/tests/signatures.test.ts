import { createPublicKey, verify } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { labeling } from '@market-state/contracts';
import { BTC, ETH, type LabelingBench, labelPurely, type RunningLabeling, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

const events = syntheticLog({ symbol: BTC, seconds: 90, seed: 31, stepMs: 1_000 });
const packets = labelPurely(events);
const half = Math.floor(packets.length / 2);
const seam = packets[half - 1]?.closingOrdinal ?? 0;

let bench: LabelingBench;
let folder: string;
let nowMs = 0;
beforeEach(async () => {
  bench = await startBench();
  folder = mkdtempSync(join(tmpdir(), 'signatures-'));
  nowMs = Date.now();
});
afterEach(async () => {
  await bench.stop();
  rmSync(folder, { recursive: true });
});

const clock = (): number => nowMs;

function start(): Promise<RunningLabeling> {
  return bench.start({ clock }, [BTC], { signingKeyFile: join(folder, 'key.pem') });
}

async function records({ client }: RunningLabeling, symbol = BTC): Promise<labeling.PacketRecord[]> {
  return (
    await client.call.listPackets({
      symbol,
      fromWindowEndMs: 0,
      toWindowEndMs: 0,
      pageSize: 1_000,
      pageToken: '',
      descending: false,
      asOfMs: 0,
    })
  ).packets;
}

async function keys({ client }: RunningLabeling): Promise<labeling.SigningKey[]> {
  return (await client.call.listSigningKeys({})).keys;
}

/** Uses only node:crypto, the packet, the signature and the 32 bytes of the key. */
function isSigned(record: labeling.PacketRecord, registry: readonly labeling.SigningKey[]): boolean {
  const key = registry.find(({ keyId }) => keyId === record.signingKeyId);
  if (key === undefined) return false;
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: key.publicKey.toString('base64url') } });
  return verify(null, Buffer.from(record.packetDigest, 'hex'), publicKey, record.signature);
}

test("every served packet carries a signature that the registry's key verifies, and no other packet's does", async () => {
  const running = await start();
  await bench.append(events);
  await bench.waitForPackets(BTC, packets.length);
  const registry = await keys(running);
  expect(registry).toMatchObject([{ validFromMs: nowMs, validToMs: 0 }]);
  expect(registry[0]?.publicKey).toHaveLength(32);

  const served = await records(running);
  expect(served).toHaveLength(packets.length);
  for (const record of served) expect([record.signature.length, isSigned(record, registry)]).toEqual([64, true]);
  const [one, other] = served;
  expect(isSigned({ ...(one as labeling.PacketRecord), packetDigest: other?.packetDigest ?? '' }, registry)).toBe(false);

  const { packet } = await running.client.call.getLatestPacket({ symbol: BTC, asOfMs: 0 });
  expect(packet?.signature).toEqual(served.at(-1)?.signature);
  for await (const { message } of running.client.call.streamPackets({ symbols: [] })) {
    if (message?.$case !== 'packet') continue;
    expect(isSigned(message.value, registry)).toBe(true);
    break;
  }
  await running.close();
});

test('a replaced key ends the one before, and each packet keeps the signature that it was given', async () => {
  const first = await start();
  await bench.append(events.slice(0, seam));
  await bench.waitForPackets(BTC, half);
  const before = await records(first);
  await first.close();
  await bench.sql('DELETE FROM labeler_state');

  const fromMs = nowMs;
  nowMs += 5_000;
  renameSync(join(folder, 'key.pem'), join(folder, 'old.pem'));
  const second = await start();
  await bench.append(events.slice(seam));
  await bench.waitForPackets(BTC, packets.length);
  const registry = await keys(second);
  expect(registry).toMatchObject([
    { validFromMs: fromMs, validToMs: nowMs },
    { validFromMs: nowMs, validToMs: 0 },
  ]);
  const after = await records(second);
  expect(after.slice(0, half)).toEqual(before);
  expect(after.map(({ signingKeyId }) => signingKeyId)).toEqual(after.map((_record, index) => registry[index < half ? 0 : 1]?.keyId));
  for (const record of after) expect(isSigned(record, registry)).toBe(true);
  await second.close();

  nowMs += 5_000;
  renameSync(join(folder, 'old.pem'), join(folder, 'key.pem'));
  const third = await start();
  await expect(keys(third)).resolves.toMatchObject([
    { keyId: registry[0]?.keyId, validToMs: 0 },
    { keyId: registry[1]?.keyId, validToMs: nowMs },
  ]);
  await third.close();
});

test('while shards get a new key one after the other, each packet is made while its key is in use', async () => {
  const eth = syntheticLog({ symbol: ETH, seconds: 90, seed: 32, stepMs: 1_000 });
  const shard = (symbol: string) =>
    bench.start({ clock: () => (nowMs += 10) }, [symbol], { servedSymbols: [BTC, ETH], signingKeyFile: join(folder, 'key.pem') });
  const old = await shard(BTC);
  const oldKeyId = (await keys(old))[0]?.keyId ?? '';
  await bench.append(events.slice(0, seam));
  await bench.waitForPackets(BTC, half);
  renameSync(join(folder, 'key.pem'), join(folder, 'old.pem'));
  const replaced = await shard(ETH);
  await bench.append(eth);
  await bench.append(events.slice(seam));
  await bench.waitForPackets(BTC, packets.length);
  await bench.waitForPackets(ETH, labelPurely(eth).length);
  const registry = new Map((await keys(replaced)).map((key) => [key.keyId, key]));
  const all = [...(await records(replaced)), ...(await records(replaced, ETH))];
  expect(all.filter(({ signingKeyId }) => signingKeyId === oldKeyId)).toHaveLength(packets.length);
  for (const { signingKeyId, generatedTsMs } of all) {
    const { validFromMs = Infinity, validToMs = 0 } = registry.get(signingKeyId) ?? {};
    expect([generatedTsMs >= validFromMs, validToMs === 0 || generatedTsMs < validToMs]).toEqual([true, true]);
  }
  expect([...registry].map(([keyId, { validToMs }]) => [keyId === oldKeyId, validToMs > 0]).sort()).toEqual([
    [false, false],
    [true, true],
  ]);
  await Promise.all([old.close(), replaced.close()]);
});

test('services that start together without a key make one, and are one row', async () => {
  const all = await Promise.all([start(), start(), start()]);
  for (const running of all) await expect(keys(running)).resolves.toHaveLength(1);
  await bench.append(events);
  await bench.waitForPackets(BTC, packets.length);
  const [running] = all;
  const registry = await keys(running as RunningLabeling);
  for (const record of await records(running as RunningLabeling)) expect(isSigned(record, registry)).toBe(true);
  for (const one of all) await one.close();
});

test('a key that others may read keeps the service from starting', async () => {
  await (await start()).close();
  chmodSync(join(folder, 'key.pem'), 0o644);
  await expect(start()).rejects.toThrow('is open to others (mode 644)');
});

test('without a key packets are not signed, and there is no key to list', async () => {
  const running = await bench.start({}, [BTC]);
  await bench.append(events);
  await bench.waitForPackets(BTC, packets.length);
  for (const record of await records(running)) expect([record.signature.length, record.signingKeyId]).toEqual([0, '']);
  await expect(keys(running)).resolves.toEqual([]);
  await running.close();
});

test('nothing of the private key is in a log line, a metric, an answer or the database', async () => {
  const running = await start();
  await bench.append(events);
  await bench.waitForPackets(BTC, packets.length);
  const pem = readFileSync(join(folder, 'key.pem'), 'utf8');
  const der = Buffer.from(pem.split('\n').slice(1, -2).join(''), 'base64');
  const seed = der.subarray(-32);
  const metrics = await (await fetch(`http://127.0.0.1:${running.server.opsPort}/metrics`)).text();
  const rows = await bench.sql(`SELECT to_jsonb(signing_key) AS row FROM signing_key`);
  const said = [...bench.lines, metrics, JSON.stringify(rows), JSON.stringify(await keys(running))].join('\n');
  expect(seed).toHaveLength(32);
  for (const secret of [
    seed.toString('hex'),
    seed.toString('base64').slice(0, -1),
    seed.toString('base64url'),
    der.toString('base64'),
    'PRIVATE KEY',
    JSON.stringify([...seed]).slice(1, -1),
  ]) {
    expect(said).not.toContain(secret);
  }
  expect(said).toContain((await keys(running))[0]?.keyId);
  await running.close();
});
