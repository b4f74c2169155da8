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

/** Messages of a stream that are shown before it is closed. */
export const MESSAGES_SHOWN = 10;
/** Largest file that is held in memory to be saved, bytes. */
const FILE_BYTES_MAX = 64_000_000;

type StreamId = keyof StreamMessages;
type CallId = Parameters<MarketState['call']>[0];

/** What came of a call. */
export type Result =
  | { readonly kind: 'answer'; readonly data: unknown; readonly call: CallFacts }
  | { readonly kind: 'file'; readonly name: string; readonly file: Blob; readonly call: CallFacts }
  | { readonly kind: 'messages'; readonly messages: readonly unknown[] };

interface Sending {
  readonly maxCredits: number | undefined;
  /** Of the quote that binds the cost. */
  readonly quoteId: string | undefined;
  /** Ends the call; of a stream, what came is its result. */
  readonly signal: AbortSignal;
  /** Told of the messages of a stream so far. */
  readonly onMessages: (messages: readonly unknown[]) => void;
}

/** Calls any operation: reads its answer, takes its file into memory, or reads its first messages. */
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

/** The first messages of a stream, or those until it was stopped. Leaving the loop closes it. */
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

/** @throws RangeError when it is too large to be held */
async function fileOf({ response, call }: FileAnswer, params: Readonly<Record<string, unknown>>): Promise<Result> {
  const bytes = Number(response.headers.get('content-length') ?? 0);
  if (bytes > FILE_BYTES_MAX) {
    await response.body?.cancel();
    throw new RangeError(`The file has ${bytes.toLocaleString('en-US')} bytes, more than this page holds. Save it on the page of exports.`);
  }
  const name = typeof params['name'] === 'string' ? params['name'] : `${String(params['event_id'])}.ndjson.gz`;
  return { kind: 'file', name, file: await response.blob(), call };
}
