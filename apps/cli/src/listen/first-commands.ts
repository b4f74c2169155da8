/** What the printed commands are made of. */
export interface CommandParts {
  /** Base address of the public API. */
  readonly url: string;
  /** What a shell writes in the place of the key. */
  readonly keyInShell: string;
  readonly port: number;
  /** Where the answer to the registration goes. */
  readonly registrationFile: string;
  /** Symbol that the alert watches. */
  readonly symbol: string;
}

/** How far apart bid and ask depth are within the best five levels: it rises and falls every few packets, in the simulated market too. */
const RULE = { kind: 'score_change', params: { score: 'visible_depth_imbalance_top5_abs', by: 0.005, packets: 1, direction: 'rise' } };
const AUTOMATION = '/api/public/market-state';

/** Three steps, each with a sentence and its command: register this receiver, test it, make an alert fire. */
export function firstCommands({ url, keyInShell, port, registrationFile, symbol }: CommandParts): readonly (readonly [string, string])[] {
  const curl = `curl -s -H "x-market-state-api-key: ${keyInShell}"`;
  const post = (path: string, body: object): string =>
    `${curl} -H 'content-type: application/json' -d '${JSON.stringify(body)}' ${url}${AUTOMATION}${path}`;
  return [
    [
      `Register this receiver. The answer has the secret that signs; it goes to ${registrationFile}, which this program reads`,
      `${post('/webhooks', { url: `https://localhost:${port}/`, event_kinds: ['alert.triggered'] })} | tee ${registrationFile}`,
    ],
    [
      'Test it: a signed message, and a 2xx makes the endpoint live',
      `${curl} -X POST "${url}${AUTOMATION}/webhooks/$(grep -o 'we_[0-9a-z]*' ${registrationFile} | head -1)/test"`,
    ],
    [`Make an alert fire on ${symbol}, within a minute`, post('/alerts', { name: 'first alert', symbol, rule: RULE })],
  ];
}
