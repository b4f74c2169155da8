import type { marketData } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { delay } from '@market-state/lifecycle';
import type { RpcDeps } from './deps';
import { probeParts } from './get-data-health';

/** Shorter than any process takes to come back, so that no loss goes unseen. */
const PROBE_EVERY_MS = 200;
const PROBES_PER_MESSAGE_MAX = 5;

/** Probes every process and store again and again; tells of each change, and once a second in any case. */
export async function* watchDataHealth(
  deps: RpcDeps,
  _request: marketData.WatchDataHealthRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<marketData.WatchDataHealthResponse> {
  let told = '';
  let probesSince = 0;
  while (!signal.aborted) {
    const components = await probeParts(deps);
    const state = components.map(({ component, healthy }) => `${component} ${healthy}`).join();
    probesSince += 1;
    if (state !== told || probesSince >= PROBES_PER_MESSAGE_MAX) {
      told = state;
      probesSince = 0;
      yield { components };
    }
    await delay(PROBE_EVERY_MS, signal).catch(() => undefined);
  }
}
