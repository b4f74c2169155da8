import { generateKeyPairSync } from 'node:crypto';
import { loadPolicy } from '@market-state/labeler';
import { createPolicyLabeler } from '../src/labeling/policy-labeler';
import type { LabelCommit } from '../src/labeling/label-store';
import type { TimedPacket } from '../src/packets/packet';
import { createPacketSigner } from '../src/packets/packet-signer';
import { fromPacketRow, type PacketRow } from '../src/store/packet-row';
import { createPostgresLabelStore } from '../src/store/postgres-label-store';
import { createPostgresSigningKeyStore } from '../src/store/postgres-signing-key-store';
import { type LabelingBench, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

const SYMBOL = 'STOREUSD-PERP';
let bench: LabelingBench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(async () => {
  await bench.stop();
});

/** Commits of one packet each, signed, as a live log gives them. */
async function liveCommits(): Promise<LabelCommit[]> {
  const signer = createPacketSigner(generateKeyPairSync('ed25519').privateKey);
  if (signer.key !== undefined) await createPostgresSigningKeyStore(bench.pool).register(signer.key, 1);
  const labeler = createPolicyLabeler(loadPolicy()).begin(SYMBOL);
  return syntheticLog({ symbol: SYMBOL, seconds: 100, seed: 3 }).flatMap((event) =>
    labeler.reduce(event).map((packet) => {
      const position = { epoch: event.epoch, ordinal: event.ordinal };
      const timed: TimedPacket = {
        ...packet,
        generatedTsMs: packet.windowEndMs + 1_001,
        sourceLagMs: 1,
        signature: signer.sign(packet.packetDigest),
        closing: position,
        knownTsMs: event.receivedTsMs,
      };
      return { symbol: SYMBOL, packets: [timed], position };
    }),
  );
}

test('two labelers that store the same packets in turn store each once, as it was made, under its own number', async () => {
  const commits = await liveCommits();
  expect(commits.length).toBeGreaterThan(6);
  const stores = [createPostgresLabelStore(bench.pool), createPostgresLabelStore(bench.pool)];
  for (const [index, commit] of commits.entries()) {
    // The first is ahead for two packets, then the second.
    const order = index % 4 < 2 ? stores : [...stores].reverse();
    for (const store of order) {
      const { kept, refused } = await store.commit(commit);
      expect(kept.map(({ sequence, packetDigest }) => [sequence, packetDigest])).toEqual([[index + 1, commit.packets[0]?.packetDigest]]);
      expect(refused).toEqual([]);
    }
  }
  const rows = await bench.sql<PacketRow & { brief: string }>('SELECT * FROM packet WHERE symbol = $1 ORDER BY window_end_ms', [SYMBOL]);
  const stored = rows.map(({ brief, ...row }) => ({ ...fromPacketRow(row), brief }));
  expect(stored).toEqual(commits.flatMap(({ packets }, index) => packets.map((packet) => ({ ...packet, sequence: index + 1 }))));
  const [position] = await bench.sql('SELECT last_sequence::int, epoch, ordinal::int FROM symbol_position WHERE symbol = $1', [SYMBOL]);
  const last = commits.at(-1)?.position;
  expect(position).toEqual({ last_sequence: commits.length, epoch: last?.epoch, ordinal: last?.ordinal });
});

test('a packet that differs from the one another labeler has stored is refused, and the chain goes on behind the stored one', async () => {
  const symbol = 'OTHERUSD-PERP';
  const [first, second, third] = (await liveCommits()).map(
    (commit): LabelCommit => ({
      ...commit,
      symbol,
      packets: commit.packets.map((packet) => ({ ...packet, symbol, packetId: `${packet.packetId}o`, eventId: `${packet.eventId}o` })),
    }),
  ) as [LabelCommit, LabelCommit, LabelCommit];
  const [one, other] = [createPostgresLabelStore(bench.pool), createPostgresLabelStore(bench.pool)];
  await one.commit(first);
  await other.commit(first);
  await other.commit(second);
  const differing = { ...second, packets: second.packets.map((packet) => ({ ...packet, packetDigest: 'f'.repeat(64) })) };
  const { kept, refused } = await one.commit(differing);
  expect(kept).toEqual([]);
  expect(refused).toMatchObject([{ packetDigest: 'f'.repeat(64), storedPacketDigest: second.packets[0]?.packetDigest }]);
  expect((await one.commit(third)).kept).toMatchObject([{ sequence: 3 }]);
});
