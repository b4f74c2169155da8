import { useCallback } from 'react';
import { BUNDLE_CREDITS_MAX, loadEventBundle } from '../../recompute/event-bundle';
import { RecomputePanel } from '../../recompute/panel/recompute-panel';
import type { LoadRequest } from '../../recompute/panel/use-recompute';
import { read, service } from '../../service/client';

/** Makes the packet again in the reader's browser, from the bundle of its log and the published keys and policy. */
export function RecomputeEvent({ eventId }: { readonly eventId: string }) {
  const load: LoadRequest = useCallback(
    async (signal) => {
      const [keys, policy, { bundle }] = await Promise.all([
        read(service.signingKeys.get({ signal })),
        read(service.demo.labelingPolicy({}, { signal })),
        loadEventBundle(eventId, signal),
      ]);
      return { bundle, policyFiles: policy.files, keys: keys.keys, eventId };
    },
    [eventId],
  );
  return (
    <RecomputePanel
      title="Made again in your browser"
      action={`Recompute it, at most ${BUNDLE_CREDITS_MAX} credits`}
      load={load}
      keyKind="published"
    >
      <ul>
        <li>2 credits, and 1 for every thousand entries of the log begun. It is loaded once, however often you check or move a trade.</li>
        <li>
          The checkpoint it begins at is this server&apos;s. Where the service runs, <code>npx market-state verify --from 0</code> begins at
          the log&apos;s first entry.
        </li>
        <li>
          This page&apos;s script is this server&apos;s. To do without it, run <code>npx market-state verify</code> on the bundle, which{' '}
          <code>events.bundle</code> of the SDK loads.
        </li>
      </ul>
    </RecomputePanel>
  );
}
