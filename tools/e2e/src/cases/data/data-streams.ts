import { createHash } from 'node:crypto';
import { timeLimit } from '@market-state/lifecycle';
import { waitUntil } from '@market-state/testing';
import { type Api, keyHeader } from '../../system/api';
import { type DataReader, queryOf, type Receipt, chainedPart, chainOver, type PublicRow } from './data-reader';
import type { SchemaCheck } from '../../system/served-document';

export interface EventMessage {
  /** Empty if the message has none. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

const timeoutMs = 90_000;

/**
 * Reads an event stream until `enough` holds or it ends, then closes it.
 * @throws Error if the status is not 200, or if too little arrives within 90 s
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

interface Started {
  readonly url: string;
  readonly key: string;
  readonly api: Api;
  readonly reader: DataReader;
  readonly check: SchemaCheck;
}

const channels = 'book,trades,context,liquidations,control';
const schemas: Readonly<Record<string, string>> = {
  ...{ plan: 'StreamPlan', row: 'DataRow', gap: 'Gap', packet: 'StreamPacket' },
  ...{ skipped: 'StreamSkipped', heartbeat: 'StreamHeartbeat', receipt: 'Completeness', end: 'StreamEnd' },
};
const rowsBeforeCut = 40;
const rowsAfterCut = 20;

/** Registers tests of the three streams: each is read, cut and resumed once, for every symbol concurrently. */
export function describeStreams(symbols: readonly string[], simulated: string, started: () => Started): void {
  function open(path: string, enough: (messages: readonly EventMessage[]) => boolean, lastEventId?: string): Promise<EventMessage[]> {
    const { url, key } = started();
    return readEvents(
      `${url}/api/public/${path}`,
      { [keyHeader]: key, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
      enough,
    );
  }

  function expectSchemas(messages: readonly EventMessage[]): void {
    for (const { event, data } of messages)
      expect([event, started().check(['components', 'schemas', schemas[event] ?? event], JSON.parse(data))]).toEqual([event, null]);
  }

  describe('streams', () => {
    it('of rows resume after the last row received, and mark synthetic rows', async () => {
      const readOne = async (symbol: string) => {
        const path = `data/stream?symbol=${symbol}&channels=${channels}`;
        const messages = await open(path, (all) => contentOf(all).length >= rowsBeforeCut + rowsAfterCut);
        const content = contentOf(messages);
        const resumed = await open(path, (all) => contentOf(all).length >= rowsAfterCut, content[rowsBeforeCut - 1]?.id);
        expect(contentOf(resumed).slice(0, rowsAfterCut)).toEqual(content.slice(rowsBeforeCut, rowsBeforeCut + rowsAfterCut));
        expectSchemas([...messages, ...resumed]);
        const rows = content.filter(({ event }) => event === 'row').map(({ data }) => JSON.parse(data) as PublicRow);
        expect(new Set(rows.map(({ flags }) => flags.includes('synthetic')))).toEqual(new Set([symbol === simulated]));
      };
      await Promise.all(symbols.map(readOne));
    });

    it('of packets resume after the last one received; each packet matches its digest and the replay', async () => {
      const readOne = async (symbol: string) => {
        const path = `market-state/stream?symbol=${symbol}`;
        const [first, second] = contentOf(await open(path, (all) => contentOf(all).length >= 2));
        const resumed = await open(path, (all) => contentOf(all).length >= 1, first?.id);
        expect(contentOf(resumed)[0]).toEqual(second);
        for (const { data } of [first, second].filter((message) => message !== undefined)) {
          const { packet_digest: digest, window_end_utc: end } = JSON.parse(data) as { packet_digest: string; window_end_utc: string };
          expect(
            createHash('sha256')
              .update(data.slice(data.indexOf(',"packet":{') + ',"packet":'.length, -1))
              .digest('hex'),
          ).toBe(digest);
          const { rows } = await waitUntil('the packet in a replay', async () => {
            const read = await started().reader.window({ symbol, start: end, end: Date.parse(end) + 1, channels: 'packets' });
            return read.rows.length > 0 && read;
          });
          expect(rows.map(({ packet_digest: replayed }) => replayed)).toEqual([digest]);
        }
        expectSchemas([first, second].filter((message) => message !== undefined));
      };
      await Promise.all(symbols.map(readOne));
    });

    it('of replays send the same as replay/window, with its receipt, and resume after the last message received', async () => {
      const readOne = async (symbol: string) => {
        const { as_of_utc: asOf } = await started().reader.read('gaps', { symbol });
        const query = { symbol, start: Date.parse(asOf) - 20_000, end: Date.parse(asOf) - 10_000, channels: `${channels},packets` };
        const page = await waitUntil('a window that is over', () => started().reader.finishedWindow(query));
        const path = `data/stream/replay?${queryOf(query)}&speed=max`;
        const isOver = (all: readonly EventMessage[]) => all.at(-1)?.event === 'end';
        const messages = await open(path, isOver);
        const rows = messages.filter(({ event }) => event === 'row');
        const parts = rows.map(({ data }) => chainedPart(data, JSON.parse(data) as PublicRow));
        expect(parts).toEqual(page.parts);
        const receipt = messages.find(({ event }) => event === 'receipt');
        expect(JSON.parse(receipt?.data ?? '{}') as Receipt).toEqual(page.receipt);
        expect(page.receipt.rows_sha256).toBe(chainOver(parts));
        const last = JSON.parse(messages.at(-1)?.data ?? '{}') as { code: string };
        expect([messages[0]?.event, last.code]).toEqual(['plan', page.receipt.status]);
        const middle = Math.floor(rows.length / 2);
        const resumed = await open(path, isOver, rows[middle]?.id);
        expect(resumed.filter(({ event }) => event === 'row')).toEqual(rows.slice(middle + 1));
        expectSchemas([...messages, ...resumed]);
      };
      await Promise.all(symbols.map(readOne));
    });
  });
}

function contentOf(messages: readonly EventMessage[]): EventMessage[] {
  return messages.filter(({ event }) => event === 'row' || event === 'gap' || event === 'packet');
}
