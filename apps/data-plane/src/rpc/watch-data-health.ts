import type { marketData } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { within } from '@market-state/lifecycle';
import type { RpcDeps } from './deps';
import { probeProcesses, probeStores } from './get-data-health';

/** Shorter than any store takes to come back, so that no loss goes unseen. */
const PROBE_EVERY_MS = 200;
/** Processes push their changes; they are asked as well, since one that hangs pushes nothing. */
const PROBES_PER_MESSAGE_MAX = 5;

/** Watches every process and store; tells of each change, and once a second in any case. */
export async function* watchDataHealth(
  deps: RpcDeps,
  _request: marketData.WatchDataHealthRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<marketData.WatchDataHealthResponse> {
  let hasChanged = true;
  let wake = (): void => undefined;
  const changed = (): void => {
    hasChanged = true;
    wake();
  };
  const stops = [deps.feedHealth, deps.recorderHealth].map((health) => health.onChange(changed));
  try {
    let processes: marketData.ComponentHealth[] = [];
    let told = '';
    let probesSince = 0;
    while (!signal.aborted) {
      probesSince += 1;
      if (hasChanged || probesSince >= PROBES_PER_MESSAGE_MAX || processes.some(({ healthy }) => !healthy)) {
        hasChanged = false;
        processes = await probeProcesses(deps);
      }
      const components = [...processes, ...(await probeStores(deps))];
      const state = components.map(({ component, healthy }) => `${component} ${healthy}`).join();
      if (state !== told || probesSince >= PROBES_PER_MESSAGE_MAX) {
        told = state;
        probesSince = 0;
        yield { components };
      }
      if (!hasChanged) await within(PROBE_EVERY_MS, new Promise<void>((resolve) => (wake = resolve)));
    }
  } finally {
    for (const stop of stops) stop();
  }
}
