import { delay } from '@market-state/lifecycle';

/** Waits, shorter when the process stops; rejects when the caller has left. */
export async function pause(
  durationMs: number,
  { signal, stopping }: { readonly signal: AbortSignal; readonly stopping: AbortSignal },
): Promise<void> {
  await delay(durationMs, AbortSignal.any([signal, stopping])).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });
}
