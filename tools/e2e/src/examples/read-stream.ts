import { timeLimit } from '@market-state/lifecycle';
const WAIT_MS = 240_000;

/**
 * Reads an event stream until it has sent messages of these kinds, and gives those as they came, in their order; `end` takes all up to it.
 * @throws Error when it is not answered with 200, or they do not come in a minute
 */
export async function readStream(url: string, headers: Readonly<Record<string, string>>, kinds: readonly string[]): Promise<string> {
  const cut = new AbortController();
  const response = await fetch(url, { headers, signal: AbortSignal.any([cut.signal, timeLimit(WAIT_MS)]) });
  if (response.status !== 200 || response.body === null) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
  const wanted = [...kinds];
  const takesAll = kinds[0] === 'end';
  const kept: string[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const isNext = /^event: (.*)$/m.exec(block)?.[1] === wanted[0];
      if (isNext) wanted.shift();
      if (wanted.length === 0 && !isNext) break;
      if ((isNext || takesAll) && block.includes('data: ')) kept.push(`${block}\n\n`);
    }
    if (wanted.length === 0) break;
  }
  cut.abort();
  if (wanted.length > 0) throw new Error(`${url} has ended without ${wanted.join(', ')}.`);
  return kept.join('');
}
