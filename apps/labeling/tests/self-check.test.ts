import { labeling } from '@market-state/contracts';
import { loadPolicy } from '@market-state/labeler';
import { encodeEvent } from '@market-state/market-data';
import { Registry } from 'prom-client';
import { listSelfChecks } from '../src/rpc/verification';
import { createPostgresCheckpointReader, createPostgresPacketReader } from '../src/store/postgres-packet-reader';
import { createPostgresSigningKeyStore } from '../src/store/postgres-signing-key-store';
import { createSelfChecks } from '../src/verify/self-check';
import { shareVerifications, verifyPacket } from '../src/verify/verification';
import { BTC, labelPurely, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

const events = syntheticLog({ symbol: BTC, seconds: 120, seed: 3 });
const expected = labelPurely(events);
const lastMs = expected.at(-1)?.windowEndMs ?? 0;

test('stored packets that the recorded events do not give are found, and the service serves its checks', async () => {
  const bench = await startBench();
  const running = await bench.start({}, [BTC]);
  await bench.append(events);
  await bench.waitForPackets(BTC, expected.length);

  const stores = { checkpoints: createPostgresCheckpointReader(bench.pool), signingKeys: createPostgresSigningKeyStore(bench.pool) };
  let recorded = syntheticLog({ symbol: BTC, seconds: 120, seed: 4 });
  const logEntries = {
    async *streamLogEntries({ toOrdinal }: { readonly toOrdinal: number }) {
      const entries = recorded.filter(({ ordinal }) => ordinal <= toOrdinal).map((event) => Buffer.from(encodeEvent(event)));
      yield { entries, contradictingOrdinals: [] };
    },
  };
  const selfChecks = createSelfChecks([BTC], {
    reader: createPostgresPacketReader(bench.pool),
    verify: shareVerifications((packet, signal) => verifyPacket({ ...stores, policy: loadPolicy(), logEntries }, packet, signal)),
    clock: () => lastMs + 60_000,
    random: () => 0.999,
    logger: bench.logger,
    registry: new Registry(),
  });
  const { signal } = new AbortController();
  await selfChecks.runNext(signal);
  expect(selfChecks.list(null)).toMatchObject([{ symbol: BTC, windowEndMs: lastMs, comparison: { outcome: 'mismatch' } }]);
  expect(JSON.parse(bench.lines.find((line) => line.includes('self-check')) ?? '{}')).toMatchObject({
    level: 'error',
    event_id: expected.at(-1)?.eventId,
    different_fields: expect.arrayContaining(['packet_digest']),
  });
  await expect(listSelfChecks({ selfChecks }, { asOfMs: 0 })).resolves.toMatchObject({
    selfChecks: [{ eventId: expected.at(-1)?.eventId, outcome: labeling.VerifyEventResponse_Outcome.MISMATCH, reason: '' }],
  });
  recorded = events;
  await selfChecks.runNext(signal);
  expect(selfChecks.list(null)).toMatchObject([{ windowEndMs: lastMs, comparison: { outcome: 'match' } }]);

  const { call } = running.client;
  await expect(call.listSelfChecks({ asOfMs: 0 })).resolves.toEqual({ selfChecks: [] });
  await expect(call.listSelfChecks({ asOfMs: -1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', faults: [{ field: 'as_of_ms' }] });
  await expect(running.metric(`labeling_self_checks_total{symbol="${BTC}",outcome="mismatch",service="labeling"}`)).resolves.toBe(0);
  await running.close();
  await bench.stop();
});
