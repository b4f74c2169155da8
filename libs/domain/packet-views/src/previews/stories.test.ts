import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadPolicy, type Packet } from '@market-state/labeler';
import fc from 'fast-check';
import { definitionsOf } from '../definitions';
import { chooseSample, chooseStories, type Story } from './choose-stories';
import { lineageStory } from './story-view';
import { type TapeEntry, tapePacketOf } from './tape-row';

const definitions = definitionsOf(loadPolicy());
const [EXAMPLE] = readFileSync(
  join(import.meta.dirname, '..', '..', '..', '..', '..', 'docs', 'examples', 'btcusd-perp-packets.ndjson'),
  'utf8',
)
  .trim()
  .split('\n');
const PACKET = JSON.parse(EXAMPLE ?? '') as Packet;
const START_MS = Date.UTC(2026, 0, 1);

/** A window: whether its packet is there, what state and class it has, how severe it is. */
const windows = fc.array(
  fc.record({
    there: fc.boolean(),
    state: fc.constantFrom('depth_watch', 'flow_shift_watch'),
    eventClass: fc.constantFrom('a', 'b'),
    severity: fc.integer({ min: 0, max: 5 }),
  }),
  { minLength: 1, maxLength: 60 },
);

function tapeOf(given: readonly { there: boolean; state: string; eventClass: string; severity: number }[]): TapeEntry[] {
  let sequence = 0;
  return given.flatMap(({ there, state, eventClass, severity }, index) => {
    if (!there) return [];
    sequence += 1;
    const windowEndMs = START_MS + (index + 1) * 10_000;
    const instants = {
      window_start_utc: new Date(windowEndMs - 10_000).toISOString(),
      window_end_utc: new Date(windowEndMs).toISOString(),
    };
    const packet = {
      ...PACKET,
      event_id: `evt_${index}`,
      ts: new Date(windowEndMs).toISOString(),
      scope: { ...PACKET.scope, ...instants },
      state: state as Packet['state'],
      event_class: eventClass,
      event_severity: { ...PACKET.event_severity, score: severity / 5, threshold_crossing_total: severity },
    };
    return [{ packet: tapePacketOf(packet), windowEndMs, sequence, observationId: `X:1-${index}`, verified: true }];
  });
}

it('finds stories in any tape, with consecutive stages, no repeated packet and the event in the middle', () => {
  fc.assert(
    fc.property(windows, (given) => {
      const tape = tapeOf(given);
      const stories = chooseStories(tape);
      expect(stories.length === 0).toBe(tape.length === 0);
      for (const story of stories) {
        const { before, during, after } = story.stages;
        const entries = [...before, ...during, ...after];
        const chain = tape.slice(tape.indexOf(entries[0] as TapeEntry), tape.indexOf(entries.at(-1) as TapeEntry) + 1);
        const omitted = chain.filter((entry) => !entries.includes(entry));
        expect(entries).toEqual(chain.filter((entry) => entries.includes(entry)));
        expect(during).toContain(story.event);
        for (const { packet } of during)
          expect([packet.state, packet.event_class]).toEqual([story.event.packet.state, story.event.packet.event_class]);
        const view = lineageStory(story, definitions);
        expect(view.timeline_rows).toHaveLength(entries.length);
        const intervals = chain.slice(1).map((entry, index) => (entry.windowEndMs - (chain[index]?.windowEndMs ?? 0)) / 1_000);
        expect(view.window.packet_sequence_total).toBe(chain.length);
        expect(view.lineage_visualization).toMatchObject({
          packet_total: entries.length,
          omitted_packet_total: omitted.length,
          missing_packet_total: view.lineage_visualization.expected_packet_total - chain.length,
          gap_total: intervals.filter((seconds) => seconds > 10).length,
          longest_interval_seconds: intervals.length === 0 ? null : Math.max(...intervals),
        });
        expect(view.lineage_visualization.state_spans.length - 1).toBe(view.lineage_metrics.state_change_total);
      }
    }),
  );
});

const LONG_RUN = Array.from({ length: 80 }, (_window, index) => ({
  there: true,
  state: index < 10 || index >= 70 ? 'flow_shift_watch' : 'depth_watch',
  eventClass: 'a',
  severity: index === 40 ? 5 : 1,
}));

test.each([
  ['of a run longer than is shown', 80, tapeOf(LONG_RUN)],
  ['that the tape does not have', 57, tapeOf(LONG_RUN).filter((_entry, index) => index < 42 || index >= 45)],
])('packets %s count as omitted, not as missing', (_name, sequenceTotal, tape) => {
  const [story] = chooseStories(tape);
  const { window, lineage_visualization } = lineageStory(story as Story, definitions);
  expect(window.packet_sequence_total).toBe(sequenceTotal);
  expect(lineage_visualization).toMatchObject({
    missing_packet_total: 0,
    gap_total: 0,
    longest_interval_seconds: 10,
    density_state: 'dense',
  });
  expect(lineage_visualization.omitted_packet_total).toBe(window.packet_sequence_total - lineage_visualization.packet_total);
});

it('picks the largest severity among events with adjacent packets, then the newest change outside that story', () => {
  const quiet = Array.from({ length: 40 }, () => ({ there: true, state: 'depth_watch', eventClass: 'a', severity: 1 }));
  const tape = tapeOf(
    quiet.map((window, index) =>
      index === 20
        ? { ...window, eventClass: 'b', severity: 4 }
        : index >= 32
          ? { ...window, state: 'flow_shift_watch' }
          : index === 39
            ? { ...window, severity: 5 }
            : window,
    ),
  );
  const [first, second] = chooseStories(tape);
  expect([first?.rule, first?.event.packet.event_id]).toEqual(['largest_severity', 'evt_20']);
  expect([second?.rule, second?.event.packet.event_id]).toEqual(['newest_state_change', 'evt_32']);
});

it('chooses as sample the newest of those that crossed most thresholds in the last sixty', () => {
  const given = Array.from({ length: 100 }, (_window, index) => ({
    there: true,
    state: 'depth_watch',
    eventClass: 'a',
    severity: index === 10 ? 5 : index === 50 || index === 60 ? 3 : 1,
  }));
  expect(chooseSample(tapeOf(given))?.packet.event_id).toBe('evt_60');
  expect(chooseSample([])).toBeUndefined();
});
