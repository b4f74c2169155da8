import { expectOneJob } from './equal-orders';
import { type ExportUnderTest, startExportUnderTest } from './export-under-test';

let test: ExportUnderTest;

beforeAll(async () => {
  test = await startExportUnderTest();
});

afterAll(() => test?.close());

it('200 equal concurrent orders are one job, one reservation and one charge', () => expectOneJob(test, 200));
