import fc from 'fast-check';
import { InvalidRequest } from '../../serving/errors/problem';
import { formatCursor, readCursor } from './get-replay-window';

const instants = fc.integer({ min: 0, max: 253_402_300_799_999 });

it('decodes to the window and token it was encoded from', () => {
  const seed = 20_260_101;
  fc.assert(
    fc.property(instants, instants, fc.string({ minLength: 1 }), (startMs, endMs, token) => {
      const cursor = formatCursor({ startMs, endMs }, token);
      expect(readCursor(cursor, null, null)).toEqual({ window: { startMs, endMs }, pageToken: token });
      expect(readCursor(cursor, startMs, endMs).pageToken).toBe(token);
      expect(() => readCursor(cursor, startMs + 1, null)).toThrow(InvalidRequest);
      expect(() => readCursor(cursor, null, endMs + 1)).toThrow(InvalidRequest);
    }),
    { seed },
  );
});

it.each(['', '.', 'a.b', '1.2.', 'A.B.c', '12345678901.1.x'])('refuses %j', (cursor) => {
  expect(() => readCursor(cursor, null, null)).toThrow(InvalidRequest);
});
