import type { MarketStateOptions } from '@market-state/client';

export type Fetch = NonNullable<MarketStateOptions['fetch']>;

/** Allowed in flight by the smallest plan. */
const WEIGHT_MAX = 8;
/** In-flight weight of a call that costs a credit; packet lists cost one more for each 25 rows, and each weighs a half. */
const USUAL_WEIGHT = 1.5;
const WEIGHT_A_ROW = 0.5 / 25;
const LISTS = /\/market-state\/(?:history|events\/search)$/;

function weightOf({ pathname, searchParams }: URL): number {
  return LISTS.test(pathname) ? USUAL_WEIGHT + WEIGHT_A_ROW * Number(searchParams.get('limit')) : USUAL_WEIGHT;
}

/**
 * Wraps `fetch` so that a page's own calls stay within what may be in flight at once; the service refuses more. Calls
 * wait in order. Streams do not count.
 */
export function queued(send: Fetch): Fetch {
  const waiting: { readonly weight: number; readonly start: () => void }[] = [];
  let held = 0;
  const startNext = (): void => {
    for (let [next] = waiting; next !== undefined && (held === 0 || held + next.weight <= WEIGHT_MAX); [next] = waiting) {
      waiting.shift();
      held += next.weight;
      next.start();
    }
  };
  return async (target, init) => {
    if (new Headers(init?.headers).get('accept') === 'text/event-stream') return send(target, init);
    const weight = weightOf(new URL(target instanceof Request ? target.url : target));
    await new Promise<void>((start) => {
      waiting.push({ weight, start });
      startNext();
    });
    try {
      return await send(target, init);
    } finally {
      held -= weight;
      startNext();
    }
  };
}
