import { sha256Hex } from '@market-state/labeler';
import { unpackBody } from '../src/store/packet-row';
import { type LabelingBench, BTC, ETH, labelPurely, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

let bench: LabelingBench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.stop());

const btc = syntheticLog({ symbol: BTC, seconds: 220, seed: 1, stepMs: 1_000 });
const eth = syntheticLog({ symbol: ETH, seconds: 120, seed: 2, stepMs: 1_000 });

test('the stored packets of each symbol are those of the labeler library, byte for byte and in order', async () => {
  const running = await bench.start();
  await Promise.all([bench.append(btc), bench.append(eth)]);
  for (const events of [btc, eth]) {
    const expected = labelPurely(events);
    const symbol = events[0]?.symbol ?? '';
    await bench.waitForPackets(symbol, expected.length);
    const rows = await bench.sql<Record<string, unknown> & { packed_body: Buffer }>(
      `SELECT sequence::int, window_end_ms::float8, packet_id, event_id, body, packed_body, packet_digest, lineage_digest, input_digest,
         policy_digest, headline, customer_next_step, source_kind::text
       FROM packet WHERE symbol = $1 ORDER BY sequence`,
      [symbol],
    );
    const unpacked = rows.map(({ packed_body: packed, ...row }) => ({ ...row, unpacked: unpackBody(packed) }));
    expect(rows.map(({ packed_body: packed }) => sha256Hex(unpackBody(packed)))).toEqual(expected.map(({ packetDigest }) => packetDigest));
    expect(unpacked).toEqual(
      expected.map((packet, index) => ({
        sequence: index + 1,
        window_end_ms: packet.windowEndMs,
        packet_id: packet.packetId,
        event_id: packet.eventId,
        body: null,
        unpacked: packet.body,
        packet_digest: packet.packetDigest,
        lineage_digest: packet.lineageDigest,
        input_digest: packet.inputDigest,
        policy_digest: packet.policyDigest,
        headline: packet.headline,
        customer_next_step: packet.customerNextStep,
        source_kind: packet.sourceKind,
      })),
    );
  }
  await running.close();
});

test('a log that grows in pieces, with the service stopped and started between them, gives the same packets', async () => {
  const expected = labelPurely(btc);
  for (const [from, to] of [
    [0, 700],
    [700, 701],
    [701, 1_500],
    [1_500, btc.length],
  ]) {
    const running = await bench.start({}, [BTC]);
    await bench.append(btc.slice(from, to));
    const closed = expected.filter((packet) => packet.closingOrdinal <= (to ?? 0)).length;
    await bench.waitForPackets(BTC, closed);
    await running.close();
    await expect(bench.log.positions(BTC)).resolves.toMatchObject({ labeling: { epoch: 1 } });
  }
  await expect(bench.storedDigests(BTC)).resolves.toEqual(expected.map((packet) => packet.packetDigest));
});

test('two labelers of one symbol store the same packets, and each streams every packet to its readers once', async () => {
  const expected = labelPurely(btc);
  const both = [await bench.start({}, [BTC]), await bench.start({}, [BTC])];
  const heard = both.map(async ({ client }) => {
    const windows: number[] = [];
    for await (const { message } of client.call.streamPackets({ symbols: [] })) {
      if (message?.$case === 'packet') windows.push(message.value.windowEndMs);
      if (windows.length === expected.length) return windows;
    }
    return windows;
  });
  for (let from = 0; from < btc.length; from += 200) await bench.append(btc.slice(from, from + 200));
  for (const windows of await Promise.all(heard)) expect(windows).toEqual(expected.map((packet) => packet.windowEndMs));
  await expect(bench.storedDigests(BTC)).resolves.toEqual(expected.map((packet) => packet.packetDigest));
  for (const { metric } of both)
    await expect(metric(`labeling_packets_refused_total{symbol="${BTC}",service="labeling"}`)).resolves.toBeUndefined();
  for (const running of both) await running.close();
});
