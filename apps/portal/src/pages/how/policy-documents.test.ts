import { thresholdsOf, tagsWith, termsOf } from './policy-documents';

const tag = (name: string, meaning: string) => ({ tag: name, family: '', value: '', horizon: null, binding: null, meaning });

test('tags are found by words of their name or meaning, in any order', () => {
  const tags = [tag('pressure:bid_elevated:short', 'Book pressure, bid side.'), tag('flow:buy_watch:short', 'Aggressive flow, buy side.')];
  expect(tagsWith(tags, 'side elevated').map((each) => each.tag)).toEqual(['pressure:bid_elevated:short']);
  expect(tagsWith(tags, '')).toHaveLength(2);
  expect(tagsWith(tags, 'crowding')).toEqual([]);
});

test('an unknown kind has no terms', () => {
  expect(termsOf({ taxonomy: { states: [{ value: 'a', label: 'A', meaning: 'An a.' }, {}] } }, 'states')).toHaveLength(1);
  expect(termsOf({ taxonomy: {} }, 'states')).toEqual([]);
});

test('thresholds are read from the policy, and other forms are ignored', () => {
  const pressure = { watch: 0.16, elevated: 0.3, calibrated: true };
  expect([...thresholdsOf({ files: { numbers: { thresholds: { pressure, flow: { watch: '0.25' } } } } })]).toEqual([
    ['pressure', pressure],
  ]);
  expect([...thresholdsOf({ files: {} })]).toEqual([]);
});
