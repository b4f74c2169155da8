import { delay } from '@market-state/lifecycle';

/** Returns early when the process stops; rejects if the caller disconnects. */
export async function pause(
  durationMs: number,
  { signal, stopping }: { readonly signal: AbortSignal; readonly stopping: AbortSignal },
): Promise<void> {
  await delay(durationMs, AbortSignal.any([signal, stopping])).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });
}
