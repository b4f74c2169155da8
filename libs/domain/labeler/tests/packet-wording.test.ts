import { assemblePacket, type Packet } from '../src/packet/packet';
import { packetRead, policy } from './packet-read';
import { recordingPackets } from './recording-packets';
import { syntheticPackets } from './synthetic-packets';

const btc = recordingPackets('BTCUSD-PERP', 2).map(({ packet }) => packet);
const eth = recordingPackets('ETHUSD-PERP').map(({ packet }) => packet);
const packets: readonly Packet[] = [...btc, ...eth];

const UNATTENDED = 'unattended_routing_with_source_checks';

describe('unattended routing', () => {
  test('is allowed exactly on a supported threshold read that is active and published', () => {
    for (const packet of packets) {
      const { state_diagnosis: diagnosis, automation_readiness: readiness } = packet;
      const fit =
        readiness.status === 'routing_ready_with_source_family_checks' &&
        diagnosis.route_recommendation === 'route_to_watchlist_and_replay' &&
        diagnosis.evidence_quality_class === 'source_supported_threshold_read' &&
        diagnosis.diagnosis_class === 'active_context_read' &&
        diagnosis.winner_state === packet.state;
      expect([packet.ts, readiness.allowed_uses.includes(UNATTENDED)]).toEqual([packet.ts, fit]);
      expect([packet.ts, readiness.blocked_uses.includes('unattended_routing')]).toEqual([packet.ts, !fit]);
    }
  });

  test.each<[string, (packet: Packet) => boolean]>([
    ['no threshold crossed', ({ state_diagnosis: diagnosis }) => diagnosis.evidence_quality_class === 'no_threshold_crossed'],
    ['a label that only dwell keeps', ({ state_diagnosis: diagnosis, state }) => diagnosis.winner_state !== state],
    ['candidates that compete', ({ state_diagnosis: diagnosis }) => diagnosis.diagnosis_class === 'competing_state_read'],
  ])('is not allowed with %s, though the recommendation asks for no review', (_name, holds) => {
    const found = packets.filter(
      (packet) => packet.state_diagnosis.route_recommendation === 'route_to_watchlist_and_replay' && holds(packet),
    );
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter((packet) => packet.automation_readiness.allowed_uses.includes(UNATTENDED))).toEqual([]);
  });
});

test('pending lineage says which it is: too few packets, or a cut', () => {
  const pending = btc.filter((packet) => packet.transition_type === 'lineage_context_pending');
  expect(pending.some((packet) => packet.packet_lineage_summary.packets_before >= 6)).toBe(true);
  for (const packet of pending) {
    const before = packet.packet_lineage_summary.packets_before;
    const [reason, ...more] = packet.reason_details.filter(({ reason_id: id }) => id.startsWith('lineage_'));
    expect(reason?.claim).toContain(
      before < 6 ? `too few packets came before this one (${before})` : 'every channel was cut since the previous packet',
    );
    expect(more).toEqual([]);
  }
});

test('no reason claims a whole window of entries, which a cut may have shortened', () => {
  for (const packet of [...packets, ...Object.values(syntheticPackets())]) {
    expect(
      packet.reason_details
        .map(({ claim }) => claim)
        .filter((claim) => /last minute|one-minute|liquidations of the last|in five minutes(?! at most)/.test(claim)),
    ).toEqual([]);
  }
});

test('each next step names its symbol', () => {
  for (const packet of [...packets, ...Object.values(syntheticPackets())]) expect(packet.client_readout.next_step).toContain(packet.symbol);
});

test('a packet of a recording says so once in its readout, one of a live venue does not', () => {
  for (const packet of packets)
    expect(
      Object.values(packet.client_readout)
        .join(' ')
        .match(/re-timed recording/g),
    ).toHaveLength(1);
  const live = assemblePacket(packetRead({ sourceKind: 'live' }), policy);
  expect(live.client_readout.support).toMatch(/^Source families resolved: /);
});
