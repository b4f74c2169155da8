import { type ProblemError, problemOf } from '../errors';
import type { CallFacts } from '../types';

/** Call facts from the response headers. */
export function callFactsOf(response: Response, requestId: string, attempts: number): CallFacts {
  return {
    requestId,
    status: response.status,
    charged: numberIn(response, 'x-credits-charged'),
    remaining: numberIn(response, 'x-credits-remaining'),
    receiptId: response.headers.get('x-receipt-id'),
    attempts,
    etag: response.headers.get('etag'),
  };
}

/** A proxy in between may send something other than a problem document. */
export async function problemIn(response: Response, requestId: string, attempts: number): Promise<ProblemError> {
  const text = await response.text();
  const body = objectIn(text);
  const said = (name: string): string => (typeof body[name] === 'string' ? (body[name] as string) : '');
  const faults = Array.isArray(body['detail']) ? faultsIn(body['detail']) : '';
  return problemOf({
    status: response.status,
    code: said('code') || (faults === '' ? '' : 'invalid_request'),
    title: said('title'),
    detail: said('detail') || faults || `The response was ${response.status} ${response.statusText}`.trim(),
    requestId: response.headers.get('x-request-id') ?? requestId,
    docs: said('docs'),
    retryAfterMs: retryAfterIn(response),
    body,
    attempts,
  });
}

function faultsIn(faults: readonly unknown[]): string {
  return faults
    .map((fault) => {
      const { loc, msg } = fault as { readonly loc?: readonly unknown[]; readonly msg?: unknown };
      return `${(loc ?? []).join('.')} ${String(msg)}`;
    })
    .join('; ');
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function numberIn(response: Response, header: string): number | null {
  const text = response.headers.get(header);
  return text === null ? null : Number(text);
}

/** Seconds, or a date. */
function retryAfterIn(response: Response): number | null {
  const text = response.headers.get('retry-after');
  if (text === null) return null;
  const seconds = Number(text);
  const waitMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : null;
}
