import { resourceExhausted } from '@market-state/errors';

const DOWNLOADS_MAX = 4;
const RETRY_AFTER_S = 5;

export interface Downloads {
  /**
   * Counts a download until the returned function is called.
   * @throws ServiceError `too_many_downloads`
   */
  enter(tenantId: string): () => void;
}

export function createDownloads(): Downloads {
  const running = new Map<string, number>();
  return {
    enter(tenantId) {
      const total = running.get(tenantId) ?? 0;
      if (total >= DOWNLOADS_MAX) {
        throw resourceExhausted(
          'too_many_downloads',
          `Concurrent download limit reached (${DOWNLOADS_MAX}). Wait for a download to finish.`,
          {
            metadata: { retry_after_s: String(RETRY_AFTER_S) },
          },
        );
      }
      running.set(tenantId, total + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (running.get(tenantId) ?? 1) - 1;
        if (left === 0) running.delete(tenantId);
        else running.set(tenantId, left);
      };
    },
  };
}
