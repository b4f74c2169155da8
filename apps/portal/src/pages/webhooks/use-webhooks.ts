import { useRead, read, service } from '../../service/client';
import type { OperationId, Params, Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { noteCall } from '../../service/meter';
import { readPages } from '../../service/read-pages';
import { type Endpoint, WEBHOOKS } from '../../service/use-endpoints';

export type Attempt = Schemas['WebhookAttempt'];
export type Task = Schemas['WebhookTaskRecord'];

export interface NewSecret {
  readonly secret: string;
  readonly endpoint: Endpoint;
}

const LIST_MAX = 1_000;
const ATTEMPTS_A_PAGE = 50;
const HOUR_MS = 3_600_000;
export const HEALTH_HOURS = 24;
const TASK_POLL_MS = 5_000;

export function costWords<K extends OperationId>(id: K, params: Params<K>): string {
  const credits = service.creditsAtMost(id, params);
  return credits === null || credits === 0 ? 'free' : `costs at most ${counted(credits, 'credit')}`;
}

/** At most 1,000 attempts; `isWhole` is true if these are all of the last 24 hours. */
export function useHealth() {
  return useQuery({
    queryKey: [...WEBHOOKS, 'health'],
    queryFn: async ({ signal }) => {
      const toMs = Date.now();
      const from = new Date(toMs - HEALTH_HOURS * HOUR_MS).toISOString();
      const { attempts, next_cursor: next } = await read(service.webhooks.deliveries({ from, limit: LIST_MAX }, { signal }));
      return { attempts, toMs, isWhole: next === null };
    },
  });
}

export function useAttempts(webhookId: string, outcome: string) {
  return useInfiniteQuery({
    queryKey: [...WEBHOOKS, 'attempts', webhookId, outcome],
    queryFn: ({ signal, pageParam: cursor }) =>
      read(
        service.webhooks.deliveries(
          { webhook_id: webhookId, outcome, limit: ATTEMPTS_A_PAGE, ...(cursor === '' ? {} : { cursor }) },
          { signal },
        ),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    placeholderData: keepPreviousData,
  });
}

export function readAttempts(webhookId: string, outcome: string) {
  return readPages(service.webhooks.deliveriesRows({ webhook_id: webhookId, outcome, limit: LIST_MAX }), ({ attempts }) => attempts);
}

/** Every stored message. The list has a next cursor at its end too. */
export async function readMessages(kinds: readonly string[]) {
  const found: Schemas['WebhookMessageList']['events'][number][] = [];
  const list = service.webhooks.eventsRows({ limit: LIST_MAX, ...(kinds.length === 0 ? {} : { kinds: kinds.join() }) });
  for await (const { data, call } of list.pages()) {
    noteCall(call);
    if (data.events.length === 0) break;
    found.push(...data.events);
  }
  return found;
}

export function useMessage(messageId: string, isRequested = true) {
  return useRead([...WEBHOOKS, 'message', messageId], (options) => service.webhooks.event({ message_id: messageId }, options), {
    enabled: isRequested,
  });
}

/** Endpoints and attempts change; messages do not, so they are only refetched on request. */
const isOfEndpoints = ({ queryKey: [, part] }: { readonly queryKey: readonly unknown[] }): boolean => part !== 'pull';

/** Refetches the page's data after a change. A secret goes only to a callback; neither result nor cache keeps it. */
function useChange<Wish>(send: (wish: Wish) => Promise<void>, onDone?: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    gcTime: 0,
    async onSuccess() {
      onDone?.();
      await queries.invalidateQueries({ queryKey: WEBHOOKS, predicate: isOfEndpoints });
    },
  });
}

const NO_SECRET = 'The response with the secret was lost, and it cannot be shown again. Rotate the secret of this endpoint.';

/** @param onMade for destinations without a signing secret */
export function useCreateEndpoint(onSecret: (made: NewSecret) => void, onMade: (webhookId: string) => void, onDone: () => void) {
  return useChange(async (wish: Params<'createWebhook'>) => {
    const { secret, ...endpoint } = await read(service.webhooks.create(wish));
    if (endpoint.kind !== 'webhook') return onMade(endpoint.webhook_id);
    if (secret === null) throw new Error(NO_SECRET);
    onSecret({ secret, endpoint });
  }, onDone);
}

export function useConfirmEmail() {
  return useChange(async (wish: Params<'confirmWebhook'>) => {
    await read(service.webhooks.confirm(wish));
  });
}

export function useRotateSecret(onSecret: (made: NewSecret) => void, onDone: () => void) {
  return useChange(async (wish: Params<'rotateWebhookSecret'>) => {
    const { secret, ...endpoint } = await read(service.webhooks.rotateSecret(wish));
    if (secret === null) throw new Error(NO_SECRET);
    onSecret({ secret, endpoint });
  }, onDone);
}

export function useUpdateEndpoint(onDone?: () => void) {
  return useChange(async (wish: Params<'updateWebhook'>) => {
    await read(service.webhooks.update(wish));
  }, onDone);
}

export function useEnableEndpoint() {
  return useChange(async (webhookId: string) => {
    await read(service.webhooks.enable({ webhook_id: webhookId }));
  });
}

export function useDeleteEndpoint(onDone: () => void) {
  return useChange(async (webhookId: string) => {
    await read(service.webhooks.delete({ webhook_id: webhookId }));
  }, onDone);
}

/** Sends a test and waits for the result of its first attempt. */
export function useTestEndpoint() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (webhookId: string) => read(service.webhooks.test({ webhook_id: webhookId })),
    onSuccess: () => queries.invalidateQueries({ queryKey: WEBHOOKS, predicate: isOfEndpoints }),
  });
}

/** Refetches only the message's deliveries and attempts: nothing else changes. */
export function useResend() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (wish: Params<'resendWebhookEvent'>) => read(service.webhooks.resend(wish)),
    onSuccess: async (_sent, { message_id: messageId }) => {
      await queries.invalidateQueries({ queryKey: [...WEBHOOKS, 'message', messageId] });
      await queries.invalidateQueries({ queryKey: [...WEBHOOKS, 'attempts'] });
    },
  });
}

export interface Recovery {
  readonly webhookId: string;
  readonly kind: Task['kind'];
  readonly since: string;
}

export function useRecovery() {
  const [taskId, setTaskId] = useState('');
  const begin = useMutation({
    mutationFn: async ({ webhookId: webhook_id, kind, since }: Recovery) =>
      kind === 'recover'
        ? read(service.webhooks.recover({ webhook_id, since }))
        : read(service.webhooks.replayMissing({ webhook_id, since })),
    onSuccess: ({ task_id: id }) => setTaskId(id),
  });
  const task = useRead([...WEBHOOKS, 'task', taskId], (options) => service.webhooks.task({ task_id: taskId }, options), {
    enabled: taskId !== '',
    refetchInterval: ({ state: { data } }) => (data?.status === 'done' ? false : TASK_POLL_MS),
  });
  return { begin, task: task.data ?? begin.data, taskError: task.error };
}
