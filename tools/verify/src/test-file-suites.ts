import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { jestSuite, needsRecordings, testFilesIn } from './harness';

const PROJECTS = ['apps', 'libs', 'tools'];
const E2E = 'tools/e2e';
const LONG_TESTS = '.verify.ts';
/** Tests with PROPERTY_RUNS cases, fast enough for many. */
const PROPERTIES = [
  'libs/domain/labeler/tests/properties',
  'libs/domain/labeler/tests/any-policy',
  'libs/domain/labeler/src/verify/rederive',
  'libs/domain/market-data/tests/binance-trade-gap',
  'libs/domain/market-data/tests/book.test',
  'libs/domain/scenarios/tests/log-laws',
  'libs/platform/grpc/src/breaker',
  'libs/platform/event-log/src/append',
  'libs/platform/event-log/tests/losses',
];
/** The same for tests of running services, which take up to seconds per case. */
const SERVICE_PROPERTIES = [
  'apps/account/tests/balance-history',
  'apps/account/tests/billing-stripe',
  'apps/account/tests/credit-ceilings.test',
  'apps/account/tests/idempotency',
  'apps/account/tests/unverified-emails',
  'apps/data-plane/tests/archive-window',
  'apps/data-plane/tests/follow-market',
  'apps/data-plane/tests/stream-replay.test',
  'apps/data-plane/tests/stream-rows',
  'apps/gateway/src/streams/conflate',
  'apps/gateway/tests/parity',
  'apps/gateway/tests/previews-delay',
  'apps/gateway/tests/prices',
  'apps/gateway/tests/streams-symbols.test',
  'apps/gateway/tests/streams.test',
  'apps/labeling/tests/lost-log',
];

const allTestFiles = (): readonly string[] => [...testFilesIn(PROJECTS, '.test.ts'), ...testFilesIn(PROJECTS, LONG_TESTS)];

/**
 * Tests that are too long, or too time-dependent, for every change. `--only` takes part of a path: `--only
 * apps/webhook`.
 */
export const fileSuite = jestSuite({
  id: 'files',
  claim: 'every test file excluded from `npm test` passes',
  files: () => testFilesIn(PROJECTS, LONG_TESTS).filter((file) => !file.startsWith(`${E2E}/`)),
});

/** All end-to-end cases; `npm test` runs one pass of them. */
export const endToEndSuite = jestSuite({
  id: 'e2e',
  claim: 'every end-to-end case passes on the whole system',
  files: () => testFilesIn([E2E], LONG_TESTS),
});

/** Tests on recordings that can't be in the repository; `npm test` skips them without RECORDINGS_DIR. */
export const recordingSuite = jestSuite({
  id: 'recordings',
  claim: "every venue's recordings are parsed exactly as sent",
  needs: [needsRecordings],
  files: () => allTestFiles().filter((file) => readFileSync(join(workspaceRoot(), file), 'utf8').includes('withRecordings(')),
});

/** Tests with the budget as their number of cases. */
export const propertySuite = jestSuite({
  id: 'properties',
  claim:
    'packets are symmetric, reproducible, bounded and unchanged when labeling resumes, whatever the market does, and a log recovers ' +
    "from any data its store loses behind the feed's own record",
  budget: { default: 1_000, counts: 'cases of each property' },
  short: { seed: 1, budget: 100 },
  files: () => allTestFiles().filter((file) => PROPERTIES.some((path) => file.startsWith(path))),
  env: ({ budget }) => ({ PROPERTY_RUNS: String(budget) }),
});

/** Like `properties`, for running services. */
export const servicePropertySuite = jestSuite({
  id: 'service-properties',
  claim: 'rows are the same whether archived, followed, streamed in pieces or requested, and prices are the same everywhere',
  budget: { default: 240, counts: 'cases of each property' },
  short: { seed: 1, budget: 15 },
  files: () => allTestFiles().filter((file) => SERVICE_PROPERTIES.some((path) => file.startsWith(path))),
  env: ({ budget }) => ({ PROPERTY_RUNS: String(budget) }),
});
