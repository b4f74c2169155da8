import labUrl from './lab/lab-thread?worker&url';
import recomputeUrl from './worker?worker&url';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const SCRIPTS = { recompute: recomputeUrl, lab: labUrl } as const;

let trusted: { createScriptURL(url: string): string } | undefined;

export function startWorker(name: keyof typeof SCRIPTS): Worker {
  return new Worker(ownScript(SCRIPTS[name]), { type: 'module', name });
}

/** Pages with Trusted Types only accept script URLs of this type, and the policy only allows the portal's workers. */
function ownScript(url: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return url;
  trusted ??= trustedTypes.createPolicy('portal-worker', {
    createScriptURL: (requested) => {
      if (!Object.values<string>(SCRIPTS).includes(requested)) throw new TypeError('not a script of this page');
      return requested;
    },
  });
  return trusted.createScriptURL(url);
}
