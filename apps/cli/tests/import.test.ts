import { join } from 'node:path';
import { feed } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, notFound } from '@market-state/errors';
import { bindService, createHealth, type GrpcServer, startGrpcServer } from '@market-state/grpc';
import { silentLogger } from '@market-state/logging';
import { testRpcSettings, testServing } from '@market-state/testing';
import { createWorkplace, run } from './run';

const FIRST_MS = Date.UTC(2026, 0, 6);
const place = createWorkplace();
let server: GrpcServer;
let requests: feed.ImportArchiveRequest[] = [];
let answer: () => AsyncGenerator<feed.ImportArchiveResponse>;

const progress = (reachedMs: number, complete: boolean): feed.ImportArchiveResponse => ({
  firstMs: FIRST_MS,
  lastMs: FIRST_MS + 60_000,
  reachedMs,
  lastOrdinal: 1_234,
  rejectedTotal: complete ? { duplicate: 2 } : {},
  complete,
});

beforeAll(async () => {
  const unused = (): never => {
    throw new Error('not called');
  };
  server = await startGrpcServer({
    ...testServing('data-plane-feed'),
    address: '127.0.0.1:0',
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
    services: [
      bindService(feed.FeedServiceService, {
        getDeepBook: unused,
        getFeedState: unused,
        importArchive(request) {
          requests.push(request);
          return answer();
        },
      }),
    ],
  });
});
beforeEach(() => (requests = []));
afterAll(async () => {
  await server.close();
  place.remove();
});

const importing = (...args: readonly string[]) =>
  run(['import', ...args, '--symbol', 'BTCUSD-PERP', '--feed', server.address], place.folder, undefined, {
    rpc: testRpcSettings('operator'),
  });

test('sends absolute paths, the description and the columns, and reports what was imported', async () => {
  answer = async function* () {
    yield progress(FIRST_MS, false);
    yield progress(FIRST_MS + 60_000, true);
  };
  place.write('instrument.json', '{"symbol":"BTCUSD-PERP","venue":"northbay"}');
  const outcome = await importing('book.parquet', '--columns', 'price=px', '--instrument', 'instrument.json');
  expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
  expect(outcome.lines).toEqual([
    'BTCUSD-PERP: imported 2026-01-06T00:00:00Z to 2026-01-06T00:01:00Z; the log has 1,234 entries.',
    'Not used: duplicate 2.',
  ]);
  expect(requests).toEqual([
    {
      symbol: 'BTCUSD-PERP',
      files: [join(place.folder, 'book.parquet')],
      instrument: '{"symbol":"BTCUSD-PERP","venue":"northbay"}',
      columns: { price: 'px' },
    },
  ]);
});

test('an import that ends early exits with 3 and says how to continue', async () => {
  answer = async function* () {
    yield progress(FIRST_MS, false);
  };
  const outcome = await importing('a.csv');
  expect(outcome.exitCode).toBe(3);
  expect(outcome.stderr).toContain('Run the same command to continue.');
});

test.each([
  [
    'files that can not be read',
    () => invalidArgument([{ field: 'files', message: 'a.csv: no such file', type: 'unreadable' }]),
    'a.csv: no such file',
  ],
  ['files before the end of the log', () => failedPrecondition('import_refused', 'The log ends later.'), 'The log ends later.'],
  [
    'a symbol without imports',
    () => notFound('unknown_symbol', 'BTCUSD-PERP takes no imports here.'),
    'start a system with FEED=import SYMBOLS=BTCUSD-PERP and its own data folder',
  ],
])('%s exit with 2 and the reason', async (_case, error, reason) => {
  answer = async function* () {
    yield progress(FIRST_MS, false);
    throw error();
  };
  const outcome = await importing('a.csv');
  expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
  expect(outcome.stderr).toContain(reason);
});
