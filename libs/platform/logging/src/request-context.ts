import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** The context of one request, kept through every await of a process. */
export interface RequestContext {
  /** Returned to the caller, and sent in every log line and every outgoing call. */
  readonly requestId: string;
  /** Wall clock by which the answer must be out, milliseconds since the epoch. Absent: no limit. */
  readonly deadlineMs?: number;
  /** Aborts when the caller gives up or the deadline passes. */
  readonly signal?: AbortSignal;
  /** The tenant whose request it is: its calls to other services share one limit. Absent: no tenant's. */
  readonly tenantId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work` with `context` visible to everything it awaits. */
export function withRequestContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** The context of the request being served, or undefined outside of one. */
export function currentRequestContext(): RequestContext | undefined {
  return storage.getStore();
}

/** The id of the request being served, or undefined outside of one. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's request id when it is valid (1..128 of letters, digits, `.`, `_`, `:`, `-`), else a new random one. */
export function requestIdOr(candidate: string | undefined): string {
  return candidate !== undefined && SANE_REQUEST_ID.test(candidate) ? candidate : randomUUID();
}
