import fc from 'fast-check';
import type { ServedPacket } from '../../clients/packet-client';
import { cutMembers, nextRoutes, readServing, type ServingFacts } from './render-latest';

const GOOD: ServingFacts = {
  reach: 'stream',
  dataHealth: { reachable: true, down: [], filling: [], imported: [] },
  fresh: true,
  missingSymbols: [],
  filling: [],
  imported: false,
};

it.each<[string, Partial<ServingFacts>, object]>([
  ['pushed and fresh', {}, { servingState: 'fresh_packet', freshness: 'fresh', availability: 'available' }],
  ['stale', { fresh: false }, { servingState: 'stale_packet', freshness: 'stale', availability: 'available' }],
  [
    'unary reads, fresh',
    { reach: 'unary' },
    { servingState: 'fresh_packet_labeling_stream_down', freshness: 'fresh', availability: 'partial' },
  ],
  [
    'stale while its history is being filled',
    { fresh: false, filling: ['BTCUSD-PERP'] },
    { servingState: 'stale_packet', freshness: 'stale', statusText: expect.stringContaining('The history of BTCUSD-PERP is being filled') },
  ],
  [
    'of an import, at its own time',
    { fresh: false, imported: true },
    {
      servingState: 'imported_packet',
      freshness: 'stale',
      availability: 'available',
      statusText: expect.stringContaining('imported archive'),
    },
  ],
  ['unary reads, stale', { reach: 'unary', fresh: false }, { servingState: 'stale_packet', availability: 'partial' }],
  ['labeling unreachable', { reach: 'unreachable' }, { servingState: 'retained_packet_labeling_unreachable', availability: 'partial' }],
  ['a symbol without a packet', { missingSymbols: ['X'] }, { servingState: 'partial_packets', availability: 'partial' }],
  [
    'feed down',
    { dataHealth: { reachable: true, down: ['feed'], filling: [], imported: [] } },
    { servingState: 'fresh_packet', availability: 'partial', statusText: expect.stringContaining('feed_unavailable') },
  ],
  [
    'data plane unreachable',
    { dataHealth: { reachable: false, down: [], filling: [], imported: [] } },
    { availability: 'partial', statusText: expect.stringContaining('data plane is unreachable') },
  ],
])('reports the serving state: %s', (_case, facts, expected) => {
  expect(readServing({ ...GOOD, ...facts })).toMatchObject(expected);
});

const name = fc.constantFrom('a', 'b', 'ab', 'c', 'state', '1');

test('returns each member as raw text, regardless of its content and surroundings', () => {
  const property = fc.property(fc.dictionary(name, fc.jsonValue()), (object) => {
    const names = Object.keys(object);
    const cut = cutMembers(Buffer.from(JSON.stringify(object)), names);
    expect(Object.fromEntries(names.map((each) => [each, cut[each]?.toString()]))).toEqual(
      Object.fromEntries(names.map((each) => [each, JSON.stringify(object[each])])),
    );
  });
  fc.assert(property, { numRuns: 300, examples: [[{ a: '"}]\\\\', b: ['{', { ab: ',' }], c: 'é' }]] });
});

test('reports a member as missing if it is nested or the JSON is truncated', () => {
  const json = Buffer.from('{"a":{"b":1},"c":"b"}');
  const lacks = (name: string) => expect.objectContaining({ code: 'INTERNAL', detail: `JSON lacks ${name}` }) as Error;
  expect(() => cutMembers(json, ['a', 'b'])).toThrow(lacks('b'));
  for (let length = 0; length < json.length; length += 1) expect(() => cutMembers(json.subarray(0, length), ['c'])).toThrow(lacks('c'));
});

test('the answer for hundreds of symbols has as many next routes as the contract allows', () => {
  const packets = Array.from({ length: 200 }, (_unused, index) => {
    const evidence = `/api/public/market-state/events/evt_${index}/evidence`;
    return { packet: { route_guidance: { recommended_route: evidence }, route_refs: { evidence } } } as unknown as ServedPacket;
  });
  const routes = nextRoutes(packets);
  expect(routes).toHaveLength(100);
  expect(routes[0]).toContain('evt_0');
});
