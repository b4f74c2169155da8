import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createMatchedApp } from '../src/serving/server/matched-server';
import { writeStreamHead } from '../src/streams/transport';
import { createEventStreamParser, openStream, type StreamMessage } from './stand-in/event-stream';

describe('the limits of the public server', () => {
  it('do not cut a stream that outlives them', async () => {
    const { app, createServer } = createMatchedApp();
    app.get('/', (_req, res) => {
      writeStreamHead(res, 'same', []);
      let sent = 0;
      const timer = setInterval(() => {
        sent += 1;
        res.write(`id: 1-${sent}-0\nevent: row\ndata: {}\n\n`);
        if (sent === 30) {
          clearInterval(timer);
          res.end();
        }
      }, 20);
    });
    const server = createServer({ headersTimeoutMs: 30, requestTimeoutMs: 60, keepAliveTimeoutMs: 10, connectionsCheckingIntervalMs: 10 });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stream = await openStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {});
    await stream.ended;
    expect(stream.messages).toHaveLength(30);
    server.close();
  });
});

describe('the parser of the tests', () => {
  function parse(...chunks: readonly string[]): { messages: StreamMessage[]; retryMs: number | null } {
    const messages: StreamMessage[] = [];
    const parser = createEventStreamParser((message) => messages.push(message));
    for (const chunk of chunks) parser.push(Buffer.from(chunk));
    return { messages, retryMs: parser.retryMs() };
  }

  it('reads what an EventSource reads', () => {
    const { messages, retryMs } = parse(
      ': a comment\nretry: 2000\nretry: soon\n\ndata: a\ndata:b\r\ndata\n\nid: 7\nevent: row\ndata:  x\r',
      '\n\r\nevent: row\n\nid: 8\n\ndata: y\n\ndata: never sent',
    );
    expect(retryMs).toBe(2_000);
    expect(messages).toEqual([
      { event: 'message', data: 'a\nb\n', lastEventId: '', hasId: false },
      { event: 'row', data: ' x', lastEventId: '7', hasId: true },
      { event: 'message', data: 'y', lastEventId: '8', hasId: false },
    ]);
  });

  it('puts characters together that were cut apart', () => {
    const messages: StreamMessage[] = [];
    const parser = createEventStreamParser((message) => messages.push(message));
    for (const byte of Buffer.from('data: €\n\n')) parser.push(Uint8Array.of(byte));
    expect(messages.map(({ data }) => data)).toEqual(['€']);
  });
});
