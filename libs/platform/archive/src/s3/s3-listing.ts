import type { S3Client } from './s3-client';
import { abortUpload } from './s3-upload';

/** The names of all objects that begin with `prefix`. */
export async function listKeys(s3: S3Client, bucket: string, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for (let ContinuationToken: string | undefined; ; ) {
    const asked = { Bucket: bucket, Prefix: prefix, ...(ContinuationToken === undefined ? {} : { ContinuationToken }) };
    const page = await s3.call(({ sdk, client, signal }) => client.send(new sdk.ListObjectsV2Command(asked), { abortSignal: signal }));
    for (const { Key } of page.Contents ?? []) if (Key !== undefined) names.push(Key);
    ContinuationToken = page.NextContinuationToken;
    if (ContinuationToken === undefined) return names;
  }
}

/** Ends the uploads below `prefix` that were begun so long ago: those of killed processes. */
export async function sweepUploads(s3: S3Client, bucket: string, prefix: string, olderThanMs: number): Promise<void> {
  const beforeMs = Date.now() - olderThanMs;
  let marker: { KeyMarker: string; UploadIdMarker?: string } | undefined;
  do {
    const asked = { Bucket: bucket, Prefix: prefix, ...marker };
    const page = await s3.call(({ sdk, client, signal }) =>
      client.send(new sdk.ListMultipartUploadsCommand(asked), { abortSignal: signal }),
    );
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || Initiated === undefined || Initiated.getTime() >= beforeMs) continue;
      await abortUpload(s3, { Bucket: bucket, Key, UploadId });
    }
    marker =
      page.IsTruncated === true && page.NextKeyMarker !== undefined
        ? { KeyMarker: page.NextKeyMarker, ...(page.NextUploadIdMarker === undefined ? {} : { UploadIdMarker: page.NextUploadIdMarker }) }
        : undefined;
  } while (marker !== undefined);
}
