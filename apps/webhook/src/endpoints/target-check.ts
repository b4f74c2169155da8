import type { Fault } from '@market-state/errors';
import { type AddressResolver, checkUrl, createResolver, resolveTarget, type TestTarget, testTargetOf } from '@market-state/guarded-http';

const DNS_MS = 2_000;

/** Normalised URL, or the reason why it is not allowed. */
export type CheckedTarget = { readonly url: string; readonly faults: readonly [] } | { readonly faults: readonly [Fault] };

/** Checks a target URL: its text and the addresses it currently resolves to. */
export interface TargetCheck {
  check(url: string): Promise<CheckedTarget>;
  /** True if the operator allows its host for tests. */
  isTestTarget(url: string): boolean;
}

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
