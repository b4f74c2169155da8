import { boundWords, faultsByField, readForm } from './field-values';
import { type CallOperation, findOperation } from './operations';

function operationOf(id: string): CallOperation {
  const found = findOperation(id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
}

const read = (id: string, texts: Readonly<Record<string, string>>) => readForm(operationOf(id), (name) => texts[name] ?? '');

test('texts become field values, and empty ones are left out', () => {
  expect(read('listHistory', { symbol: 'BTCUSD-PERP', limit: '5', state: '' })).toMatchObject({
    places: {},
    query: { symbol: 'BTCUSD-PERP', limit: 5 },
    body: {},
  });
  expect(
    read('createWatchlist', { name: 'Majors', symbols: 'BTCUSD-PERP, ETHUSD-PERP', rules: '[{"kind":"state_changed"}]' }).body,
  ).toEqual({
    name: 'Majors',
    symbols: ['BTCUSD-PERP', 'ETHUSD-PERP'],
    rules: [{ kind: 'state_changed' }],
  });
});

test('a required nullable field that is empty or null is sent as null', () => {
  const { body } = read('setSpendControls', { monthly_credit_cap: '500', daily_credit_cap: 'null' });
  expect(body).toEqual({ monthly_credit_cap: 500, daily_credit_cap: null, per_call_credit_ceiling: null, export_credit_cap: null });
});

test('all faults are found together, each at its field', () => {
  const { faults } = read('updateWatchlist', { rules: '[{' });
  expect([...faults.keys()]).toEqual(['watchlist_id', 'rules']);
  expect(read('listHistory', { limit: 'five' }).faults.get('limit')).toBe('Enter a number.');
});

test('faults of a refused call are shown at their field with the nested path', () => {
  const { fields } = operationOf('createWatchlist');
  const faults = faultsByField(
    [
      { loc: ['body', 'rules', 0, 'kind'], msg: 'must be one of the kinds' },
      { loc: ['body', 'name'], msg: 'is too long' },
      { loc: ['header', 'x-quote-id'], msg: 'is unknown' },
    ],
    fields,
  );
  expect(Object.fromEntries(faults)).toEqual({
    rules: '0.kind: must be one of the kinds',
    name: 'is too long',
    '': 'header.x-quote-id: is unknown',
  });
});

test('a field describes its accepted values', () => {
  const field = (id: string, name: string) => operationOf(id).fields.find((each) => each.name === name);
  expect(boundWords(field('getBookL2Latest', 'depth') as never)).toBe('1 to 1,000; default: 10');
  expect(boundWords(field('createWatchlist', 'symbols') as never)).toBe('comma-separated; 1 to 20 items');
});
