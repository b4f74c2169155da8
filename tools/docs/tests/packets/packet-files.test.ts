import { readdirSync } from 'node:fs';
import { canonicalJson, lineageDigest, packetResultLine, packetRowLine, sha256Hex } from '@market-state/labeler';
import { packetChoices, packetFolder, readPacketFile } from '../../src/packets/packet-file';
import { describeLog, packetsOfLog } from '../../src/packets/packet-logs';
import { policy, WORDS } from './words';

const WRITE = 'node --import @oxc-node/core/register tools/docs/src/packets/write-packets.ts';

test('each state and event class has one packet, and there are no other files', () => {
  expect(packetChoices.map(({ word, kind }) => [word, kind])).toEqual(WORDS);
  expect(readdirSync(packetFolder()).sort()).toEqual(WORDS.map(([word]) => `${word}.json`).sort());
});

describe.each(WORDS)('the packet of %s', (word, kind) => {
  const { source, row, ...file } = readPacketFile(word);
  const { packet } = row;

  test('has the word of its file', () => {
    expect(file).toEqual({ word, kind });
    expect(kind === 'states' ? packet.state : packet.event_class).toBe(word);
  });

  test('is intact: its digests match its body', () => {
    expect(row.packet_digest).toBe(sha256Hex(canonicalJson(packet)));
    expect(row.lineage_digest).toBe(lineageDigest(packet.previous_lineage_digest, row.packet_digest));
    expect([row.policy_digest, row.input_digest, row.packet_id, row.event_id]).toEqual([
      packet.policy_digest,
      packet.input_digest,
      packet.packet_id,
      packet.event_id,
    ]);
  });

  test('has the shipped policy', () => {
    const run = packet.policy_digest === policy.digest ? 'nothing' : WRITE;
    expect({ word, run, edition: packet.labeling_policy_edition }).toEqual({
      word,
      run: 'nothing',
      edition: policy.versions.labeling_policy_edition,
    });
  });

  test('states its source', () => {
    const choice = packetChoices.find((each) => each.word === word);
    if (choice === undefined) throw new Error(`${word} is no choice`);
    expect(source).toEqual({ ...describeLog(choice.log), window_end_utc: choice.windowEndUtc });
    expect(Date.parse(source.window_end_utc)).toBe(row.window_end_ms);
  });
});

test('a packet recomputed from its log equals the file byte for byte', () => {
  const choice = packetChoices.find(({ word }) => word === 'visible_depth_pressure_without_trade_confirmation');
  if (choice === undefined) throw new Error('there is no such choice');
  for (const result of packetsOfLog(choice.log)) {
    if (result.windowEndMs !== Date.parse(choice.windowEndUtc)) continue;
    expect(packetResultLine(result)).toBe(packetRowLine(readPacketFile(choice.word).row));
    return;
  }
  throw new Error('the log has no such packet');
});
