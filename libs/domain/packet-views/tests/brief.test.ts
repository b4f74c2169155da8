import {
  briefOf,
  missingBetween,
  lineageRow,
  type LoggedBrief,
  type LoggedPacket,
  adjacentPacketsView,
  type PacketBrief,
  POSTMORTEM_REACH,
  postmortemView,
  transitionRows,
} from '../src';
import { definitions, recordedPackets, simulatedPackets } from './labelled';

/** Round-trips through JSON, as for a reader. */
function inBrief({ packet, ...place }: LoggedPacket): LoggedBrief {
  return { ...place, packet: JSON.parse(JSON.stringify(briefOf(packet))) as PacketBrief };
}

test.each([
  ['recorded', recordedPackets],
  ['simulated', () => simulatedPackets('limited_venue', 0.5)],
])('every view of a %s packet and its neighbours in brief is the view of them whole', (_name, read) => {
  const packets = read();
  expect(packets.length).toBeGreaterThan(60);
  const briefs = packets.map(inBrief);
  expect(briefs.map(lineageRow)).toEqual(packets.map(lineageRow));
  expect(transitionRows(briefs)).toEqual(transitionRows(packets));
  const sparse = <T>(all: readonly T[]): T[] => all.filter((_packet, index) => index % 5 !== 0);
  expect(missingBetween(sparse(briefs))).toEqual(missingBetween(sparse(packets)));
  expect(adjacentPacketsView('before', briefs, 30)).toEqual(adjacentPacketsView('before', packets, 30));
  for (let index = 0; index < packets.length; index += 7) {
    const around = <T>(all: readonly T[]): T[] =>
      all.slice(Math.max(0, index - POSTMORTEM_REACH.before), index + POSTMORTEM_REACH.after + 1);
    const own = packets[index] as LoggedPacket;
    expect(postmortemView(around(briefs), own, definitions)).toEqual(postmortemView(around(packets), own, definitions));
  }
});

test('a brief is less than a fifth of its packet', () => {
  const shares = recordedPackets().map(({ packet }) => JSON.stringify(briefOf(packet)).length / JSON.stringify(packet).length);
  expect(Math.max(...shares)).toBeLessThan(0.2);
});
