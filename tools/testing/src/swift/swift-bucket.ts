import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Swift } from './start-swift';
import { AwsClient } from 'aws4fetch';

/** A bucket of its own in Swift, and a client of it that is not the one of our stores. */
export interface SwiftBucket {
  readonly name: string;
  /** For local copies. */
  readonly folder: string;
  /** The second client, on `key` and query below the bucket. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

let buckets = 0;

/** Makes a bucket. What the SDK reads of the environment is set until it is closed. */
export async function openSwiftBucket(swift: Swift): Promise<SwiftBucket> {
  buckets += 1;
  const name = `bucket-${process.pid}-${buckets}`;
  const folder = await mkdtemp(join(tmpdir(), 's3-store-'));
  const client = new AwsClient({
    accessKeyId: swift.accessKeyId,
    secretAccessKey: swift.secretAccessKey,
    service: 's3',
    region: 'us-east-1',
    retries: 0,
  });
  const ask = (path: string, init?: RequestInit): Promise<Response> => client.fetch(`${swift.endpoint}/${name}${path}`, init);
  const before = { ...process.env };
  process.env['AWS_ACCESS_KEY_ID'] = swift.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = swift.secretAccessKey;
  const made = await ask('', { method: 'PUT' });
  if (!made.ok) throw new Error(`no bucket: ${made.status} ${await made.text()}`);
  return {
    name,
    folder,
    ask,
    async close() {
      for (const variable of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
        if (before[variable] === undefined) delete process.env[variable];
        else process.env[variable] = before[variable];
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
