import { InvalidError } from '@market-state/client';
import { describeOperation } from '@market-state/client/operations';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { noteCall } from '../../service/meter';
import { faultsByField, type Filled } from './field-values';
import type { CallOperation } from './operations';
import { type Result, sendCall } from './send-call';
import type { Calling } from './caller-panel';

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
