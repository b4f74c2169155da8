import fc from 'fast-check';
import { cutMembers } from './stored-row';

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
