import fc from 'fast-check';
import { types } from 'pg';
import { columnTypes, parseTextArray } from './text-arrays';

const TEXT_ARRAY: number = 1_009;

/** Array text of the server, which quotes elements that are empty, are the word NULL, or have a special character. */
function arrayText(items: readonly (string | null)[]): string {
  const written = items.map((item) => {
    if (item === null) return 'NULL';
    return item === '' || /^null$/i.test(item) || /[\s"\\{},]/.test(item) ? `"${item.replace(/["\\]/g, '\\$&')}"` : item;
  });
  return `{${written.join(',')}}`;
}

const element = fc.oneof(
  fc.constantFrom('NULL', 'null', '', 'a,b', '{', '}', '"', '\\', 'pressure:ask_elevated:short', 'NULLABLE', 'a NULL b', '読'),
  fc.string(),
  fc.stringMatching(/^[a-z0-9_:]{1,30}$/),
);

test('an array of any texts and nulls is read as it was written', () => {
  fc.assert(
    fc.property(fc.array(fc.option(element)), (items) => {
      expect(parseTextArray(arrayText(items))).toEqual(items);
    }),
  );
});

test.each([
  '{}',
  '{a}',
  '{a,b:c}',
  '{NULL}',
  '{a,NULL}',
  '{"NULL"}',
  '{NULLS,b}',
  '{""}',
  '{"a,b",c}',
  '{"\\\\"}',
  '{{a,b},{c,d}}',
  '[0:1]={a,b}',
  '{a\nb}',
])('%j is read as by the driver', (text) => {
  expect(parseTextArray(text)).toEqual((types.getTypeParser(TEXT_ARRAY) as (text: string) => unknown)(text));
});

test('other types are read by the driver', () => {
  for (const oid of [16, 20, 23, 114, 1_016, 1_184]) expect(columnTypes.getTypeParser(oid)).toBe(types.getTypeParser(oid));
});
