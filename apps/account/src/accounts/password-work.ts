import { unavailable } from '@market-state/errors';

/** Hashing a password takes 19 MiB and a processor: so many at once, so many more waiting. */
export const PASSWORD_WORK = { atOnceMax: 4, waitingMax: 64 } as const;

/** Bounds how many passwords are hashed at once. */
export interface PasswordWork {
  /** Does the work when its turn comes. @throws ServiceError UNAVAILABLE with reason `password_work_full` when too many wait */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createPasswordWork({ atOnceMax, waitingMax }: { readonly atOnceMax: number; readonly waitingMax: number } = PASSWORD_WORK): PasswordWork {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function turn(): Promise<void> {
    if (running < atOnceMax) {
      running += 1;
      return;
    }
    if (waiting.length >= waitingMax) {
      throw unavailable('password_work_full', 'Too many passwords are being checked just now. Try again in a second.', { metadata: { retry_after_s: '1' } });
    }
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Hands the place to the next that waits. */
  function leave(): void {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }

  return {
    async run(work) {
      await turn();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
