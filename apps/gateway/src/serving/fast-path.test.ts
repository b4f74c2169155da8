import type { Grant } from './auth/credentials';
import { fastRead } from './fast-path';
import { checkQuery } from './validation/request-validator';

it('leaves a call with a parameter that the answer does not read to the full route, unless it has its default', () => {
  const answered = fastRead('getLatest', ['symbol'], () => ({ representation: {} as never, observed: 1 }));
  const ask = (rawQuery: string) => answered.answer(checkQuery(answered.operation, rawQuery).values, {} as Grant, '');
  expect(ask('symbol=ETHUSD-PERP')).not.toBeNull();
  expect(ask('view=packet')).not.toBeNull();
  expect(ask('view=compact')).toBeNull();
});
