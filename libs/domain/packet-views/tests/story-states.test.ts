import { featureFamilyViews, sourceFamilyViews, tapePacketOf, tapeRow } from '../src';
import { definitions, simulatedPackets } from './labelled';

const MINUTE_MS = 60_000;
/** An episode begins after so much ordinary market. */
const EPISODE_MS = 62 * MINUTE_MS;

/** Packets of an episode's minutes, from the first given to the last. */
function during(scenario: Parameters<typeof simulatedPackets>[0], fromMinute: number, toMinute: number) {
  const packets = simulatedPackets(scenario, (EPISODE_MS / MINUTE_MS + toMinute) / 60);
  const beginMs = Math.floor((packets[0]?.windowEndMs ?? 0) / MINUTE_MS) * MINUTE_MS + EPISODE_MS;
  return packets.filter(({ windowEndMs }) => windowEndMs > beginMs + fromMinute * MINUTE_MS);
}

const storyStates = (packets: ReturnType<typeof during>) =>
  packets.map(({ packet, windowEndMs, sequence }) => {
    const { story_state_label, title } = tapeRow({
      packet: tapePacketOf(packet),
      windowEndMs,
      sequence,
      observationId: null,
      verified: true,
    });
    expect(title.startsWith(`${story_state_label}: `)).toBe(true);
    return story_state_label;
  });

test('a spread that widens while depth falls is a story of friction building', () => {
  const labels = storyStates(during('thinning', 1.5, 3));
  expect(labels.length).toBeGreaterThan(5);
  expect(new Set(labels)).toEqual(new Set(['Friction building']));
});

test('best sizes that come and go without trades are a story of order churn', () => {
  const labels = storyStates(during('flickering_quotes', 2, 4));
  expect(labels.filter((label) => label === 'Order churn elevated').length).toBeGreaterThan(labels.length / 2);
});

test('an ordinary market has neither', () => {
  const ordinary = simulatedPackets('thinning', (EPISODE_MS / MINUTE_MS + 3) / 60).slice(0, 360);
  expect(storyStates([...ordinary])).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(Friction|Order churn)/)]));
});

test('stale context with a fresh book is partial context, in sources and in features', () => {
  const packets = during('context_stale', 3.5, 5);
  expect(packets.length).toBeGreaterThan(5);
  for (const { packet } of packets) {
    const statusOf = Object.fromEntries(
      sourceFamilyViews(packet, definitions).map((view) => [view.source_family, view.source_family_status]),
    );
    expect(statusOf).toMatchObject({ book: 'evidence_attached', asset_context: 'partial_context' });
    expect(featureFamilyViews(packet, definitions)).toContainEqual(
      expect.objectContaining({ feature_family: 'crowding', feature_family_status: 'proxy_or_partial_context' }),
    );
  }
});
