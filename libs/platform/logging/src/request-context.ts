import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** Context of one request, preserved across every await. */
export interface RequestContext {
  /** Returned to the caller, and included in log lines and outgoing calls. */
  readonly requestId: string;
  /** Wall-clock deadline of the response in epoch milliseconds. Absent: none. */
  readonly deadlineMs?: number;
  /** Aborts when the caller gives up or the deadline passes. */
  readonly signal?: AbortSignal;
  /** Tenant of the request, whose calls to other services share a limit. Absent: no tenant. */
  readonly tenantId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function withRequestContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Context of the request being served; undefined outside of one. */
export function currentRequestContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Id of the request being served; undefined outside of one. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the caller's request id if valid (1..128 letters, digits, `.`, `_`, `:`, `-`), else a random one. */
export function requestIdOr(candidate: string | undefined): string {
  return candidate !== undefined && SANE_REQUEST_ID.test(candidate) ? candidate : randomUUID();
}
