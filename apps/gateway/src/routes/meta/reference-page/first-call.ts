const LATEST = '/api/public/market-state/latest?symbol=BTCUSD-PERP&view=compact';
const SANDBOX_KEYS = '/api/public/market-state/account/sandbox-keys';

/** How to begin: sentences, each with a command that runs as it stands but for the key. */
function firstCalls(baseUrl: string) {
  return [
    {
      sentence: [
        'Send your key in the header ',
        'x-market-state-api-key',
        '. A first call, the newest packet on one screen; without view=compact it comes whole:',
      ],
      command: `curl -H 'x-market-state-api-key: YOUR_KEY' '${baseUrl}${LATEST}'`,
    },
    {
      sentence: ['A key to try it with, on data at least 600 s old, needs no sign-up:'],
      command: `curl -X POST '${baseUrl}${SANDBOX_KEYS}'`,
    },
  ] as const;
}

/** As a part of a page. */
export function firstCallHtml(baseUrl: string): string {
  const parts = firstCalls(baseUrl).map(({ sentence: [before, code, after], command }) => {
    const named = code === undefined ? '' : `<code>${code}</code>${after ?? ''}`;
    return `<p>${before}${named}</p>\n<pre>${command.replaceAll('&', '&amp;')}</pre>`;
  });
  return `<section class="first-call" aria-label="First call">\n${parts.join('\n')}\n</section>`;
}

/** As lines of Markdown. */
export function firstCallText(baseUrl: string): readonly string[] {
  return firstCalls(baseUrl).flatMap(({ sentence: [before, code, after], command }) => {
    const named = code === undefined ? '' : `\`${code}\`${after ?? ''}`;
    return [`${before}${named}`, '', '```sh', command, '```', ''];
  });
}
