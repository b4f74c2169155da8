import type { Fault } from '@market-state/errors';
import { type AddressResolver, checkUrl, createResolver, resolveTarget, type TestTarget, testTargetOf } from '@market-state/guarded-http';

/** How long the DNS may take, milliseconds. */
const DNS_MS = 2_000;

/** A URL as it is kept, or why it is not allowed. */
export type CheckedTarget = { readonly url: string; readonly faults: readonly [] } | { readonly faults: readonly [Fault] };

/** The URL of a target without a fault. */
export function urlOf(target: CheckedTarget): string {
  if (!('url' in target)) throw new RangeError('the URL is not allowed');
  return target.url;
}

/** Looks at where a tenant wants its messages sent: at the text, and at the addresses that it leads to now. */
export interface TargetCheck {
  check(url: string): Promise<CheckedTarget>;
  /** Whether its host is one that the operator allows for tests alone. */
  isTestTarget(url: string): boolean;
}

/** @param resolver of tests; else the DNS servers of the system */
export function createTargetCheck(targets: readonly TestTarget[], resolver: AddressResolver = createResolver(DNS_MS)): TargetCheck {
  return {
    async check(text) {
      const checked = checkUrl(text, targets);
      if (!checked.ok) return refused(checked.message);
      const resolved = await resolveTarget(checked.url, { resolver, targets, timeoutMs: DNS_MS });
      return resolved.ok ? { url: checked.url.href, faults: [] } : refused(resolved.message);
    },
    isTestTarget: (url) => testTargetOf(new URL(url), targets) !== undefined,
  };
}

function refused(message: string): CheckedTarget {
  return { faults: [{ field: 'url', message, type: 'url_not_allowed' }] };
}
