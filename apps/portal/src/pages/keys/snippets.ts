import type { Schemas } from '@market-state/client';
import { costOf } from '@market-state/pricing';

/** Snippets read the key from the environment, so that it appears in no file and no process argument. */
interface Snippet {
  readonly name: string;
  readonly code: string;
}

/** Prompts for the key, so that it stays out of the shell history. */
export const INTO_ENVIRONMENT = 'read -rs MARKET_STATE_API_KEY && export MARKET_STATE_API_KEY';

export const SNIPPET_CREDITS = costOf('latest_packet', 1);

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
