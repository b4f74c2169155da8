import type { Pool } from 'pg';
import { readRows } from './reading';

const failingWith = (code: string): Pool =>
  ({ query: () => Promise.reject(Object.assign(new Error('statement text'), { code })) }) as unknown as Pool;

test.each([
  ['57014', { code: 'DEADLINE_EXCEEDED', reason: 'upstream_deadline' }],
  ['57P01', { code: 'UNAVAILABLE', reason: 'upstream_unavailable' }],
  ['42703', { message: 'statement text' }],
])('a statement that fails with SQLSTATE %s', async (state, reported) => {
  await expect(readRows(failingWith(state), 'SELECT 1')).rejects.toMatchObject(reported);
});
