import { openConnection, type OpenConnection } from '../src/open-connection';
import { CONNECTION_LIMITS, restText, VenueError } from '../src/index';
import { type LoopbackVenue, type Script, startLoopbackVenue } from './loopback-venue';

let venue: LoopbackVenue;
afterEach(() => venue.close());

const clock = { nowMs: () => 1_700_000_000_123 };
const quick = { ...CONNECTION_LIMITS, pingEveryMs: 20, pongWithinMs: 20 };

async function open(script: Script, limits = CONNECTION_LIMITS): Promise<OpenConnection> {
  venue = await startLoopbackVenue(script);
  return openConnection({ url: venue.wsUrl, clock, bookOf: () => undefined, limits }, new AbortController().signal);
}

async function textsOf(connection: OpenConnection): Promise<string[]> {
  const texts: string[] = [];
  for await (const { messages } of connection.messages()) texts.push(...messages.map(({ text }) => text));
  return texts;
}

test('frames come as sent, with the receive time in both forms, until the owner closes', async () => {
  const connection = await open({ onOpen: (socket) => socket.send('{"a": 1.0}') });
  for await (const { messages } of connection.messages()) {
    expect(messages).toEqual([{ receivedMs: 1_700_000_000_123, receivedNs: '1700000000123000000', text: '{"a": 1.0}' }]);
    connection.close();
  }
  expect(connection.counts.received).toBe(1);
});

test('a frame over 1 MiB is refused, counted and reported in its place, and the ones around it are taken', async () => {
  const connection = await open({
    onOpen: (socket) => {
      for (const text of ['before', 'x'.repeat(1_048_577), 'y'.repeat(1_048_576), 'after', 'x'.repeat(1_048_577)]) socket.send(text);
      socket.close(1_000);
    },
  });
  const read: (string | number)[] = [];
  const reading = (async () => {
    for await (const { messages, refusedFrameMs } of connection.messages()) {
      if (refusedFrameMs !== undefined) read.push(refusedFrameMs);
      read.push(...messages.map(({ text }) => text.slice(0, 6)));
    }
  })();
  await expect(reading).rejects.toThrow(VenueError);
  expect(read).toEqual(['before', 1_700_000_000_123, 'yyyyyy', 'after', 1_700_000_000_123]);
  expect(connection.counts).toEqual({ received: 3, oversizedFrames: 2, collapsedBooks: 0 });
});

test('a venue that does not answer pings is given up', async () => {
  const connection = await open({ autoPong: false }, quick);
  await expect(textsOf(connection)).rejects.toMatchObject({ fault: 'connection_lost', message: 'no answer to a ping within 20 ms' });
});

test('a venue that answers its pings is kept', async () => {
  let pings = 0;
  const connection = await open(
    {
      onOpen: (socket) =>
        socket.on('ping', () => {
          if (++pings === 5) socket.send('still here');
        }),
    },
    quick,
  );
  for await (const { messages } of connection.messages()) {
    expect(messages.map(({ text }) => text)).toEqual(['still here']);
    connection.close();
  }
  expect(pings).toBe(5);
});

test('a connection that the venue ends throws after all that came before was read', async () => {
  const connection = await open({ onOpen: (socket) => (socket.send('last'), socket.close(1_001)) });
  const iterator = connection.messages();
  expect((await iterator.next()).value).toMatchObject({ messages: [{ text: 'last' }] });
  await expect(iterator.next()).rejects.toMatchObject({ fault: 'connection_lost' });
});

test('a reader that stops reading stops the socket; nothing of 5,000 trades is lost when it goes on', async () => {
  const connection = await open(
    { onOpen: (socket) => Array.from({ length: 5_000 }, (_, index) => socket.send(`${index} ${'x'.repeat(1_000)}`)) },
    { ...CONNECTION_LIMITS, queueMax: 100 },
  );
  await connection.frame((text) => text.startsWith('100 '), 5_000);
  const seen: number[] = [];
  for await (const { messages } of connection.messages()) {
    expect(messages.length).toBeLessThan(1_000);
    seen.push(...messages.map(({ text }) => Number(text.split(' ')[0])));
    if (seen.length === 5_000) connection.close();
  }
  expect(seen).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
});

test('no venue at the address is unreachable', async () => {
  venue = await startLoopbackVenue({});
  const { wsUrl, restUrl } = venue;
  await venue.close();
  await expect(openConnection({ url: wsUrl, clock, bookOf: () => undefined }, new AbortController().signal)).rejects.toMatchObject({
    fault: 'unreachable',
  });
  await expect(restText({ url: `${restUrl}/info` })).rejects.toMatchObject({ fault: 'unreachable' });
  venue = await startLoopbackVenue({});
});

test.each([
  ['a status', 500, 'returned status 500'],
  ['text that is no JSON', '<html>', 'invalid JSON'],
  ['more than 8 MiB', `"${'x'.repeat(9 * 1_048_576)}"`, 'exceeds 8388608 bytes'],
] as const)('a REST answer that is %s is refused by name', async (_, answered, says) => {
  venue = await startLoopbackVenue({ answer: () => answered });
  await expect(restText({ url: `${venue.restUrl}/info`, body: {} })).rejects.toMatchObject({
    fault: 'bad_answer',
    message: expect.stringContaining(says) as string,
  });
});
