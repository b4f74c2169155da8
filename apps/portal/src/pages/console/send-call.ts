import {
  type Answer,
  type CallFacts,
  type FileAnswer,
  type MarketState,
  type OperationId,
  type Params,
  type StreamMessages,
} from '@market-state/client';
import { describeOperation } from '@market-state/client/operations';

export const MESSAGES_SHOWN = 10;
const FILE_BYTES_MAX = 64_000_000;

type StreamId = keyof StreamMessages;
type CallId = Parameters<MarketState['call']>[0];

export type Result =
  | { readonly kind: 'answer'; readonly data: unknown; readonly call: CallFacts }
  | { readonly kind: 'file'; readonly name: string; readonly file: Blob; readonly call: CallFacts }
  | { readonly kind: 'messages'; readonly messages: readonly unknown[] };

interface Sending {
  readonly maxCredits: number | undefined;
  readonly quoteId: string | undefined;
  /** Aborting a stream keeps the messages received so far as its result. */
  readonly signal: AbortSignal;
  readonly onMessages: (messages: readonly unknown[]) => void;
}

export async function sendCall(
  client: MarketState,
  id: OperationId,
  params: Readonly<Record<string, unknown>>,
  { maxCredits, quoteId, signal, onMessages }: Sending,
): Promise<Result> {
  const options = { signal, ...(maxCredits === undefined ? {} : { maxCredits }), ...(quoteId === undefined ? {} : { quoteId }) };
  switch (describeOperation(id).answers) {
    case 'stream':
      return { kind: 'messages', messages: await firstMessages(streamOf(client, id as StreamId, params, options), signal, onMessages) };
    case 'file':
      return fileOf(await openFile(client, id, params, options), params);
    default: {
      const { data, call }: Answer<OperationId> = await client.call(id as CallId, params as Params<CallId>, options);
      return { kind: 'answer', data, call };
    }
  }
}

interface Options {
  readonly signal: AbortSignal;
  readonly maxCredits?: number;
}

/** The SDK's streams take symbols and channels as lists. */
function streamOf(
  client: MarketState,
  id: StreamId,
  { symbol, channels, conflate_ms: conflateMs, ...further }: Readonly<Record<string, unknown>>,
  options: Options,
): AsyncIterable<unknown> {
  const params = { ...further, ...(typeof channels === 'string' ? { channels: channels.split(',') } : {}) };
  if (id === 'streamDataReplay')
    return client.stream.replay({ ...params, ...(typeof symbol === 'string' ? { symbols: symbol } : {}) }, options);
  const live = {
    ...params,
    ...(typeof symbol === 'string' ? { symbols: symbol.split(',') } : {}),
    ...(typeof conflateMs === 'number' ? { conflateMs } : {}),
  };
  return id === 'streamPackets' ? client.stream.packets(live, options) : client.stream.data(live, options);
}

/** Leaving the loop closes the stream. */
async function firstMessages(
  messages: AsyncIterable<unknown>,
  signal: AbortSignal,
  onMessages: Sending['onMessages'],
): Promise<readonly unknown[]> {
  const shown: unknown[] = [];
  try {
    for await (const message of messages) {
      shown.push(message);
      onMessages([...shown]);
      if (shown.length === MESSAGES_SHOWN) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return shown;
}

function openFile(client: MarketState, id: OperationId, params: object, options: Options): Promise<FileAnswer> {
  return id === 'getExportFile'
    ? client.exports.file(params as Params<'getExportFile'>, options)
    : client.events.bundle(params as Params<'getEventBundle'>, options);
}

/** @throws RangeError if the file is too large to hold in memory */
async function fileOf({ response, call }: FileAnswer, params: Readonly<Record<string, unknown>>): Promise<Result> {
  const bytes = Number(response.headers.get('content-length') ?? 0);
  if (bytes > FILE_BYTES_MAX) {
    await response.body?.cancel();
    throw new RangeError(
      `The file has ${bytes.toLocaleString('en-US')} bytes, too many to hold in this page. Save it from the Exports page.`,
    );
  }
  const name = typeof params['name'] === 'string' ? params['name'] : `${String(params['event_id'])}.ndjson.gz`;
  return { kind: 'file', name, file: await response.blob(), call };
}
