import { whole } from '../../market/numbers';
import {
  type Answer,
  type CallFacts,
  type FileAnswer,
  InvalidError,
  type MarketState,
  type OperationId,
  type Params,
  type StreamMessages,
} from '@market-state/client';
import { describeOperation } from '@market-state/client/operations';
import { counted } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answerText } from '../../calls/answer-text';
import { AnswerView } from '../../calls/answer-view';
import calls from '../../calls/calls.module.css';
import { giveFile } from '../../controls/give-file';
import { SpendButton } from '../../controls/buttons';
import { noteCall } from '../../service/meter';
import { ProblemNotice } from '../../status-components/conditions';
import sheet from '../../theme/sheet.module.css';
import type { Calling } from './caller-panel';
import { type Filled, faultsByField } from './field-values';
import type { CallOperation } from './operations';

const MESSAGES_SHOWN = 10;
const FILE_BYTES_MAX = 64_000_000;

type StreamId = keyof StreamMessages;
type CallId = Parameters<MarketState['call']>[0];

type Result =
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
    throw new RangeError(`The file has ${whole(bytes)} bytes, too many to hold in this page. Save it from the Exports page.`);
  }
  const name = typeof params['name'] === 'string' ? params['name'] : `${String(params['event_id'])}.ndjson.gz`;
  return { kind: 'file', name, file: await response.blob(), call };
}

/** A stream costs one credit per 100 messages, rounded up, and fewer than 100 are shown. */
const STREAM_CREDITS = 1;

interface Answered {
  readonly result: Result;
  readonly tookMs: number;
}

export function useCall(operation: CallOperation, filled: Filled, { client, caller }: Calling) {
  const { id } = operation;
  const given = { ...filled.places, ...filled.query, ...filled.body };
  const isStream = describeOperation(id).answers === 'stream';
  const [messages, setMessages] = useState<readonly unknown[]>([]);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  // A quote is only valid for this input and caller.
  const callText = JSON.stringify([given, caller]);
  const quoting = useMutation({
    mutationFn: async () => {
      const quote = await client.quote(id as Parameters<typeof client.quote>[0], given as never);
      return { requested: callText, id: quote.id, credits: quote.maxCredits, exportCredits: quote.maxExportCredits };
    },
  });
  const quote = quoting.data?.requested === callText ? quoting.data : null;
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

interface OutcomeViewProps {
  readonly answered: Answered;
  readonly client: MarketState;
  readonly streamFacts: CallFacts | null;
  readonly left: 'call' | 'credit';
}

export function OutcomeView({ answered: { result, tookMs }, client, streamFacts, left }: OutcomeViewProps) {
  const facts = result.kind === 'messages' ? streamFacts : result.call;
  return (
    <div className={calls['answer']}>
      {result.kind === 'answer' ? <AnswerView data={result.data} call={result.call} tookMs={tookMs} left={left} /> : null}
      {result.kind === 'file' ? (
        <>
          <p role="status">
            {whole(result.file.size)} bytes in {Math.round(tookMs)} ms
            {result.call.charged === null ? '' : `, cost ${counted(result.call.charged, 'credit')}`}, request{' '}
            <code>{result.call.requestId}</code>
          </p>
          <p className={sheet['actions']}>
            <button type="button" onClick={() => giveFile(result.name, result.file)}>
              Save {result.name}
            </button>
          </p>
        </>
      ) : null}
      {result.kind === 'messages' ? <MessageList messages={result.messages} isOver /> : null}
      {facts === null ? null : (
        <p className={sheet['soft']}>
          {facts.etag === null ? '' : `ETag ${facts.etag}`}
          {facts.attempts > 1 ? `; sent ${facts.attempts} times` : ''}
        </p>
      )}
      {facts?.receiptId === null || facts === null ? null : <Receipt key={facts.receiptId} id={facts.receiptId} client={client} />}
    </div>
  );
}

export function MessageList({ messages, isOver }: { readonly messages: readonly unknown[]; readonly isOver: boolean }) {
  return (
    <>
      <p role="status" className={sheet['soft']}>
        {counted(messages.length, 'message')}
        {isOver ? '; the stream is closed and costs nothing more' : ` of ${MESSAGES_SHOWN}; the stream closes after that`}
      </p>
      {messages.length === 0 ? null : (
        <pre tabIndex={0} role="region" aria-label="Messages as JSON">
          <code>{answerText(messages).shown}</code>
        </pre>
      )}
    </>
  );
}

function Receipt({ id, client }: { readonly id: string; readonly client: MarketState }) {
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: async () => client.usage.receipt({ receipt_id: id }),
  });
  const receipt = data?.data;
  return (
    <div>
      <p className={sheet['actions']}>
        <span>
          Receipt <code>{id}</code>
        </span>
        <SpendButton
          action="Load receipt"
          busy="Loading…"
          creditsAtMost={client.creditsAtMost('getUsageReceipt', { receipt_id: id })}
          isBusy={isPending}
          onPress={() => mutate()}
        />
      </p>
      {receipt === undefined ? null : (
        <p role="status">
          Charged {counted(receipt.observed_market_state_credit_cost, 'credit')}
          {receipt.observed_export_credit_cost === 0 ? '' : ` and ${counted(receipt.observed_export_credit_cost, 'export credit')}`} of at
          most {counted(receipt.estimated_market_state_credit_cost, 'credit')}, price list {receipt.price_version}.
        </p>
      )}
      <ProblemNotice error={error} hasKey retry={() => mutate()} />
    </div>
  );
}
