import { hasSwift, openSwiftBucket, startSwift, type Swift, type SwiftBucket } from '@market-state/testing';
import { startExportUnderTest } from './export-under-test';
import { filesSuite } from './files-suite';

(!hasSwift ? describe.skip : describe)('files of exports in a bucket of Swift, from an archive in another', () => {
  let swift: Swift;
  let bucket: SwiftBucket;

  beforeAll(async () => {
    swift = await startSwift();
    bucket = await openSwiftBucket(swift);
  });

  afterAll(async () => {
    await bucket?.close();
    await swift?.stop();
  });

  filesSuite(() =>
    startExportUnderTest({
      archiveUrl: `s3://${bucket.name}/archive`,
      exportUrl: `s3://${bucket.name}/files`,
      options: { endpoint: swift.endpoint, cacheFolder: bucket.folder },
    }),
  );
});
