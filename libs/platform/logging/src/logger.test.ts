import { createLogger } from './logger';

let lines: Record<string, unknown>[];
let logger: ReturnType<typeof createLogger>;
beforeEach(() => {
  jest.useFakeTimers();
  lines = [];
  logger = createLogger('test', { destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) } });
});
afterEach(() => jest.useRealTimers());

function written(): unknown[] {
  return lines
    .splice(0)
    .map(({ msg, err, request_id, repeated }) => [msg, (err as { message?: string } | undefined)?.message ?? request_id, repeated]);
}

test('of errors of one kind one per second is written: the first immediately, then the newest with their number', () => {
  for (let index = 0; index < 150; index += 1) logger.error({ err: new Error(`no disk ${index}`) }, 'call failed');
  expect(written()).toEqual([['call failed', 'no disk 0', undefined]]);
  jest.advanceTimersByTime(1_000);
  expect(written()).toEqual([['call failed', 'no disk 149', 149]]);
  logger.error({ err: new Error('no disk 150') }, 'call failed');
  jest.advanceTimersByTime(1_000);
  expect(written()).toEqual([['call failed', 'no disk 150', 1]]);
  jest.advanceTimersByTime(2_000);
  logger.error({ err: new Error('no disk 151') }, 'call failed');
  expect(written()).toEqual([['call failed', 'no disk 151', undefined]]);
});

test('another message, method, symbol or reason is another kind', () => {
  logger.warn({ symbol: 'A-PERP' }, 'behind');
  logger.warn({ symbol: 'B-PERP' }, 'behind');
  logger.warn({ symbol: 'B-PERP' }, 'ahead');
  logger.error({ method: '/a/B', err: { reason: 'one' } }, 'call failed');
  logger.error({ method: '/a/B', err: { reason: 'other' } }, 'call failed');
  logger.warn('behind');
  expect(lines).toHaveLength(6);
});

test('a plain message is counted too, and lines below warning are all written', () => {
  for (let index = 0; index < 3; index += 1) {
    logger.warn('nearly full');
    logger.info('served');
  }
  expect(written().map((line) => (line as unknown[])[0])).toEqual(['nearly full', 'served', 'served', 'served']);
  jest.advanceTimersByTime(1_000);
  expect(written()).toEqual([['nearly full', undefined, 2]]);
});

test('kinds beyond the counting limit are written', () => {
  for (let index = 0; index < 1_001; index += 1) logger.error({ code: `${index}` }, 'call failed');
  logger.error({ code: '1000' }, 'call failed');
  expect(lines).toHaveLength(1_002);
});
