import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import WebSocket from 'ws';
import { createMatchedApp } from '../serving/server/matched-server';
import { makeMessage, toTextMessages } from './frame';
import { openWebSocket, type StreamTransport } from './transport';

describe('a WebSocket transport', () => {
  let server: Server;
  let transport: StreamTransport | null = null;

  beforeAll(async () => {
    server = createMatchedApp(undefined, (_req, res) => (transport = openWebSocket(res, 'same', []))).createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  async function connected(options: WebSocket.ClientOptions): Promise<{ client: WebSocket; beat: () => boolean | undefined }> {
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, options);
    await once(client, 'open');
    const sender = transport;
    return { client, beat: () => sender?.heartbeat(makeMessage('heartbeat', {})) };
  }

  it('cuts a reader that answers no pings', async () => {
    const { client, beat } = await connected({ autoPong: false });
    const closed = once(client, 'close');
    const beats = Array.from({ length: 5 }, beat);
    expect(beats).toEqual([true, true, true, true, false]);
    expect((await closed)[0]).toBe(1_006);
  });

  it('keeps one that does', async () => {
    const { client, beat } = await connected({});
    for (let round = 0; round < 10; round += 1) {
      const received = once(client, 'message');
      expect(beat()).toBe(true);
      await received;
      // Its answer follows those to the pings of the server.
      client.ping();
      await once(client, 'pong');
    }
    client.close();
    await once(client, 'close');
  });
});

it('turns each event into one JSON text, its data unchanged', () => {
  const events = Buffer.concat([
    makeMessage('row', { text: 'a\nb\n\n', sign: '€\u2028' }, '1-2-3'),
    makeMessage('end', { code: 'complete' }),
  ]);
  expect(toTextMessages(events)).toEqual([
    '{"id":"1-2-3","event":"row","data":{"text":"a\\nb\\n\\n","sign":"€\u2028"}}',
    '{"id":null,"event":"end","data":{"code":"complete"}}',
  ]);
});
