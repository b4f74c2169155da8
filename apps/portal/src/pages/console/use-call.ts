import {
  InvalidError,
  type Answer,
  type CallFacts,
  type FileAnswer,
  type MarketState,
  type OperationId,
  type Params,
  type StreamMessages,
} from '@market-state/client';
import { describeOperation } from '@market-state/client/operations';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { noteCall } from '../../service/meter';
import { faultsByField, type Filled } from './field-values';
import type { CallOperation } from './operations';
import type { Calling } from './caller-panel';

/** Messages of a stream that are shown before it is closed. */
export const MESSAGES_SHOWN = 10;
/** Largest file that is held in memory to be saved, bytes. */
const FILE_BYTES_MAX = 64_000_000;

type StreamId = keyof StreamMessages;
type CallId = Parameters<MarketState['call']>[0];

/** What came of a call. */
type Result =
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
async function sendCall(
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

/** A stream costs one credit for every hundred messages that are begun, and fewer are shown. */
const STREAM_CREDITS = 1;

/** A call that was answered. */
export interface Answered {
  readonly result: Result;
  readonly tookMs: number;
}

/** One operation being called as a form says: its cost before, what came of it, and what is wrong at its fields. */
export function useCall(operation: CallOperation, filled: Filled, { client, caller }: Calling) {
  const { id } = operation;
  const given = { ...filled.places, ...filled.query, ...filled.body };
  const isStream = describeOperation(id).answers === 'stream';
  const [messages, setMessages] = useState<readonly unknown[]>([]);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  // A quote holds for what it was asked for, and whom.
  const asked = JSON.stringify([given, caller]);
  const quoting = useMutation({
    mutationFn: async () => {
      const quote = await client.quote(id as Parameters<typeof client.quote>[0], given as never);
      return { asked, id: quote.id, credits: quote.maxCredits, exportCredits: quote.maxExportCredits };
    },
  });
  const quote = quoting.data?.asked === asked ? quoting.data : null;
  const bound = isStream ? STREAM_CREDITS : client.creditsAtMost(id, given as never);
  const creditsAtMost = bound ?? (quote === null ? null : quote.credits + quote.exportCredits);

  const calling = useMutation({
    mutationFn: async (): Promise<Answered> => {
      const ended = new AbortController();
      stop.current = ended;
      setMessages([]);
      const startedMs = performance.now();
      const result = await sendCall(client, id, given, {
        maxCredits: creditsAtMost ?? undefined,
        quoteId: quote?.id,
        signal: ended.signal,
        onMessages: (shown) => {
          if (shown.length === 1 && caller.kind === 'session') noteCall({ charged: STREAM_CREDITS });
          setMessages(shown);
        },
      });
      return { result, tookMs: performance.now() - startedMs };
    },
  });
  const faults = calling.error instanceof InvalidError ? faultsByField(calling.error.faults, operation.fields) : new Map<string, string>();
  return {
    creditsAtMost,
    unit: (quote?.exportCredits ?? 0) > 0 ? ('export credit' as const) : undefined,
    isStream,
    messages,
    faults,
    isAsking: calling.isPending,
    answered: calling.data ?? null,
    error: calling.error,
    isSaidAtFields: faults.size > 0 && !faults.has(''),
    send: () => calling.mutate(),
    stop: () => stop.current?.abort(),
    askCost: () => quoting.mutate(),
    isAskingCost: quoting.isPending,
    costError: quoting.error,
  };
}
