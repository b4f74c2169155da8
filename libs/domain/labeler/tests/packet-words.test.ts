import { canonicalJson } from '../src/index';
import { assemblePacket } from '../src/packet/packet';
import { parseReplayCursor } from '../src/packet/guidance';
import { countedTags } from '../src/policy/rules';
import { UnknownTermError } from '../src/policy/taxonomy';
import { packetRead, policy, severityOf } from './packet-read';
import { recordingPackets, RECORDED_SYMBOLS } from './recording-packets';
import { without } from './without';
import { syntheticPackets, syntheticReads } from './synthetic-packets';

const synthetic = syntheticPackets();
const packets = [
  ...RECORDED_SYMBOLS.flatMap((symbol) => recordingPackets(symbol).map(({ packet }) => packet)),
  ...Object.values(synthetic),
];

test('every tag is <family>:<value>[:<horizon>] with a family and a horizon of the taxonomy, each once', () => {
  const families = policy.taxonomy.kinds.get('tag_families');
  const horizons = policy.taxonomy.kinds.get('tag_horizons');
  for (const packet of packets) {
    const tags = [...packet.tags, ...packet.compute_lanes.flatMap((lane) => lane.tags)];
    for (const tag of tags) {
      const [family = '', value, horizon, ...rest] = tag.split(':');
      expect([tag, families?.has(family), value !== '', horizon === undefined || horizons?.has(horizon), rest]).toEqual([
        tag,
        true,
        true,
        true,
        [],
      ]);
    }
    expect(new Set(packet.tags).size).toBe(packet.tags.length);
  }
});

test('freshness, lane, calibration, quality, lineage, history and replay tags do not count', () => {
  const tags = [
    'freshness:a:hot',
    'latency_lane:a:hot',
    'calibration:a',
    'quality:a:hot',
    'lineage:a',
    'history:a',
    'replay:ready',
    'flow:a:short',
  ];
  expect(countedTags(tags, policy)).toEqual(['flow:a:short']);
});

test.each<[string, Parameters<typeof packetRead>[0]]>([
  ['event class', { eventClass: 'mood_swing' }],
  ['event profile', { eventProfile: 'mood' }],
  ['direction', { direction: 'up' }],
  ['transition type', { transitionType: 'jump' as never }],
  ['diagnosis class', { diagnosisClass: 'certain' as never }],
  ['severity class', { severity: severityOf(1, 'terrible' as never, [], 1, 1) }],
  ['tag family', { tags: ['mood:good:hot'] }],
  ['tag value', { tags: ['pressure:enormous:hot'] }],
])('a packet with a %s that the taxonomy lacks is refused', (_name, changes) => {
  expect(() => assemblePacket(packetRead(changes), policy)).toThrow(UnknownTermError);
});

test('the same read gives the same body', () => {
  for (const read of Object.values(syntheticReads())) {
    expect(canonicalJson(assemblePacket(read, policy))).toBe(canonicalJson(assemblePacket(structuredClone(read), policy)));
  }
});

test('what a venue does not report reads null with family and reason, and is never called 0', () => {
  const [packet] = recordingPackets('BTCUSD-PERP');
  const { driver_strengths: drivers, source_status: status, state_decision_trace: trace } = packet?.packet ?? synthetic['quiet'] ?? {};
  expect(drivers).toMatchObject({ funding_rate_abs: null, liquidation_event_count: null, liquidation_notional_usd: null });
  expect(status?.asset_context).toMatchObject({ status: 'missing', reason: 'not_in_this_source', age_ms: null });
  expect(status?.liquidations.unavailable_features).toContain('liquidation_notional_usd');
  expect(trace?.composites.crowding).toMatchObject({ score: null, norm: null, level: 'no_source' });
  expect(packet?.packet.reason_details.map(({ claim }) => claim)).toContain(
    'Not in this source: funding / open interest and liquidations; their values are unknown.',
  );
});

test('when a source state wins, no tag and no reason reads the book, trades or volatility as current', () => {
  const { staleBook } = synthetic;
  expect(
    staleBook?.tags
      .filter((tag) => /^(pressure|flow|trades|queue|spread|crowding|forced_flow|regime):/.test(tag))
      .map((tag) => tag.split(':')[1]),
  ).toEqual(Array(8).fill('not_current'));
  expect(staleBook?.tags.filter((tag) => /^(depth|alignment):/.test(tag))).toEqual([]);
  expect(
    staleBook?.reason_details.filter((reason) => ['pressure', 'flow', 'fragility', 'regime', 'alignment'].includes(reason.reason_family)),
  ).toEqual([]);
});

test('what changed reports scores and severity where a market can be read, and not where a source state wins', () => {
  const changed = (name: string) => synthetic[name]?.client_reason_summary.what_changed ?? '';
  expect(changed('cascade')).toMatch(/Furthest from its mean of up to thirty packets: .* Severity changed from/);
  expect(changed('staleBook')).not.toMatch(/Furthest from its mean|Severity changed/);
});

test('the replay cursor names the symbol and the window and needs no escaping', () => {
  for (const packet of packets) {
    expect(encodeURIComponent(packet.replay.cursor)).toBe(packet.replay.cursor);
    expect(parseReplayCursor(packet.replay.cursor)).toEqual({ market: packet.symbol, windowEndMs: Date.parse(packet.ts) });
  }
});

test('routes appear in route fields alone', () => {
  for (const packet of packets) {
    const rest = without(packet, 'route_refs', 'route_guidance', 'reason_details');
    const reasons = packet.reason_details.map((reason) => without(reason, 'evidence_routes'));
    expect(JSON.stringify([rest, reasons])).not.toContain('/api/');
  }
});

test('workflow routes follow severity, confidence and the recommendation', () => {
  const { quiet, cascade, noBook } = synthetic;
  expect(quiet?.workflow_routes).toEqual(['monitor', 'agent_brief', 'dashboard', 'research']);
  expect(cascade?.workflow_routes).toEqual(['monitor', 'alert', 'agent_brief', 'dashboard', 'research', 'review']);
  expect(noBook?.workflow_routes).toEqual(['monitor', 'dashboard', 'research', 'review']);
});
