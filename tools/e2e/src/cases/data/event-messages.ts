import { timeLimit } from '@market-state/lifecycle';
/** A message of an event stream, as sent. */
export interface EventMessage {
  /** Empty where the message has none. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

const timeoutMs = 90_000;

/**
 * Reads an event stream until `enough` holds or it ends, and cuts it.
 * @throws Error when it is not answered with 200, or not enough has come in a minute and a half
 */
export async function readEvents(
  url: string,
  headers: Readonly<Record<string, string>>,
  enough: (messages: readonly EventMessage[]) => boolean,
): Promise<EventMessage[]> {
  const cut = new AbortController();
  const response = await fetch(url, { headers, signal: AbortSignal.any([cut.signal, timeLimit(timeoutMs)]) });
  if (response.status !== 200 || response.body === null) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
  const messages: EventMessage[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    messages.push(...blocks.map(messageOf).filter(({ data }) => data !== ''));
    if (enough(messages)) break;
  }
  cut.abort();
  return messages;
}

function messageOf(block: string): EventMessage {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2) ?? '';
  return { id: field('id'), event: field('event'), data: field('data') };
}
