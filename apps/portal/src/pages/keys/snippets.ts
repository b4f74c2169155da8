import type { Schemas } from '@market-state/client';
import { costOf } from '@market-state/pricing';

/** A first call with a key, to paste. None holds the key: it is read from the environment, and no process shows it as an argument. */
export interface Snippet {
  readonly name: string;
  readonly code: string;
}

/** Puts the key into the environment without leaving it in the shell's history: the key is pasted when the line waits for it. */
export const INTO_ENVIRONMENT = 'read -rs MARKET_STATE_API_KEY && export MARKET_STATE_API_KEY';

/** Credits that the call of a snippet costs. */
export const SNIPPET_CREDITS = costOf('latest_packet', 1);

/** First calls to the service at `origin` that a key of these scopes may do. */
export function snippetsFor(origin: string, { scopes }: Pick<Schemas['KeyRecord'], 'scopes'>): readonly Snippet[] {
  const read: readonly Snippet[] = [
    {
      name: 'curl',
      code: `printf 'header = "x-market-state-api-key: %s"' "$MARKET_STATE_API_KEY" |\n  curl -s -K - '${origin}/api/public/market-state/latest?view=compact'`,
    },
    {
      name: 'TypeScript',
      code: `import { MarketState } from '@market-state/client';

const ms = new MarketState({
  baseUrl: '${origin}',
  apiKey: process.env.MARKET_STATE_API_KEY,
});
const { data, call } = await ms.latest.get({ view: 'compact' });
console.log(data.rows[0]?.state, call.charged, call.remaining);`,
    },
  ];
  const listen: readonly Snippet[] = [
    { name: 'CLI', code: `npx market-state listen --forward-to http://127.0.0.1:3000/hook --url ${origin}` },
  ];
  return [...(scopes.includes('read') ? read : []), ...(scopes.includes('automation') ? listen : [])];
}
