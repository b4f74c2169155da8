import { responseCheck } from '../caches/latest/latest-cache';
import { operations } from '../serving/openapi/operations';
import { createEventStreamParser, type StreamMessage } from '../../tests/stand-in/event-stream';
import { MESSAGE_KINDS } from './frame';
import { parsePosition } from './position';
import { streamManifest } from './stream-manifest';

const manifest = streamManifest();

function parse(text: string): StreamMessage[] {
  const messages: StreamMessage[] = [];
  createEventStreamParser((message) => messages.push(message)).push(Buffer.from(text));
  return messages;
}

describe('the stream manifest', () => {
  it('has every kind of message, in order', () => {
    expect(manifest.message_kinds.map(({ kind }) => kind)).toEqual(MESSAGE_KINDS);
  });

  it.each(manifest.message_kinds.map((entry) => [entry.kind, entry] as const))(
    'shows %s as it is sent: one message, its id a position, its data by its schema',
    (kind, entry) => {
      const messages = parse(entry.example);
      expect(messages).toMatchObject([{ event: kind, hasId: entry.has_id }]);
      expect(parsePosition(messages[0]?.lastEventId ?? '') !== null).toBe(entry.has_id);
      expect(responseCheck(entry.schema)(JSON.parse(messages[0]?.data ?? ''))).toBeNull();
    },
  );

  it('names routes and parameters of the document', () => {
    for (const { route, parameters } of manifest.routes) {
      const operation = operations.find(({ path }) => path === route);
      expect(operation?.parameters.filter(({ in: position }) => position === 'query').map(({ name }) => name)).toEqual(parameters);
      expect(operation?.parameters.map(({ name }) => name)).toContain('Last-Event-ID');
    }
  });
});
