import { isTransientDatabaseError, isUniqueViolation } from './errors';

function withCode(code: string): Error {
  return Object.assign(new Error('x'), { code });
}

test.each(['08006', '53300', '57P01', '57P03', '40001', '40P01', '25006', 'ECONNREFUSED', 'ECONNRESET', 'P1001', 'P2024', 'P2034'])(
  '%s may pass by itself',
  (code) => {
    expect(isTransientDatabaseError(withCode(code))).toBe(true);
  },
);

test.each(['23505', '22P02', '42P01', '57014', '28P01', 'P2002', 'P2025', 'ERR_X'])('%s does not pass by itself', (code) => {
  expect(isTransientDatabaseError(withCode(code))).toBe(false);
});

test('lost connections are known by their sentence', () => {
  expect(isTransientDatabaseError(new Error('Connection terminated unexpectedly'))).toBe(true);
  expect(isTransientDatabaseError(new Error('timeout exceeded when trying to connect'))).toBe(true);
  expect(isTransientDatabaseError(new AggregateError([withCode('ECONNREFUSED')]))).toBe(true);
  expect(isTransientDatabaseError(undefined)).toBe(false);
});

test('a double key is known from the driver and from Prisma', () => {
  expect(isUniqueViolation(withCode('23505'))).toBe(true);
  expect(isUniqueViolation(withCode('P2002'))).toBe(true);
  expect(isUniqueViolation(new Error('x'))).toBe(false);
});
