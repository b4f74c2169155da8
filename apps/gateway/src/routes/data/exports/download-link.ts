import { createHmac, timingSafeEqual } from 'node:crypto';
import { jobRoute } from '../../../clients/exports/show-job';
import { Problem } from '../../../serving/errors/problem';
import type { Operation } from '../../../serving/openapi/operations';
import { parseInstant } from '../../../serving/meta/instant';

/** A download route is good for so long, milliseconds. */
export const LINK_LIFE_MS = 900_000;

/** What a download route is signed for. */
export interface LinkedFile {
  readonly tenantId: string;
  readonly jobId: string;
  readonly name: string;
}

function signatureOf({ tenantId, jobId, name }: LinkedFile, expiresMs: number, secret: string): Buffer {
  return createHmac('sha256', secret)
    .update(JSON.stringify([tenantId, jobId, name, expiresMs]))
    .digest();
}

/** The path of a file beside the route called, with its expiry and the HMAC-SHA256 over tenant, job, file and expiry. */
export function downloadRoute(called: Pick<Operation, 'path'>, file: LinkedFile, expiresMs: number, secret: string): string {
  const signature = signatureOf(file, expiresMs, secret).toString('base64url');
  return `${jobRoute(called, file.jobId)}/files/${encodeURIComponent(file.name)}?expires=${expiresMs}&signature=${signature}`;
}

/** Throws 403 `link_expired` where the sent expiry is over, or the signature is not that of the file. */
export function checkLink(file: LinkedFile, sent: { readonly expires: string; readonly signature: string }, secret: string, nowMs: number) {
  const expiresMs = parseInstant(sent.expires) ?? 0;
  const made = signatureOf(file, expiresMs, secret);
  const signature = Buffer.from(sent.signature, 'base64url');
  const isOurs = signature.length === made.length && timingSafeEqual(signature, made);
  if (isOurs && nowMs < expiresMs) return;
  const why = isOurs ? 'This download route has expired.' : 'This download route is not valid for this file.';
  throw new Problem('link_expired', `${why} Ask for the result of the job again for a new one.`);
}
