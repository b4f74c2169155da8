import type { OperationId, Params, Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { read, service } from '../../service/client';
import { type Endpoint, WEBHOOKS } from '../../service/use-endpoints';

export type Attempt = Schemas['WebhookAttempt'];
export type Task = Schemas['WebhookTaskRecord'];

/** A signing secret that has just been made. */
export interface NewSecret {
  readonly secret: string;
  readonly endpoint: Endpoint;
}

const LIST_MAX = 1_000;
const ATTEMPTS_A_PAGE = 50;
const HOUR_MS = 3_600_000;
/** Time that the health of an endpoint is shown of. */
export const HEALTH_HOURS = 24;
const TASK_POLL_MS = 5_000;

/** What a call of this page costs at most, in words. */
export function costWords<K extends OperationId>(id: K, params: Params<K>): string {
  const credits = service.creditsAtMost(id, params);
  return credits === null || credits === 0 ? 'costs nothing' : `costs ${counted(credits, 'credit')} at most`;
}

/** The newest attempts of the last 24 hours, of all endpoints: at most 1,000, of which `isWhole` says whether they are all. */
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

/** Attempts, newest first, of one endpoint or all; older ones on request. */
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

export function useMessage(messageId: string, isAsked = true) {
  return useQuery({
    enabled: isAsked,
    queryKey: [...WEBHOOKS, 'message', messageId],
    queryFn: ({ signal }) => read(service.webhooks.event({ message_id: messageId }, { signal })),
  });
}

/** What is told of endpoints and their attempts; messages are as they were, and read again only when that is asked for. */
const isOfEndpoints = ({ queryKey: [, part] }: { readonly queryKey: readonly unknown[] }): boolean => part !== 'pull';

/** Asks for a change, then for everything of this page again. A secret goes to a callback alone: neither result nor cache keeps it. */
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

const NO_SECRET = 'The service has shown the secret before, and its answer was lost. Rotate the secret of this endpoint.';

export function useCreateEndpoint(onSecret: (made: NewSecret) => void, onDone: () => void) {
  return useChange(async (wish: Params<'createWebhook'>) => {
    const { secret, ...endpoint } = await read(service.webhooks.create(wish));
    if (secret === null) throw new Error(NO_SECRET);
    onSecret({ secret, endpoint });
  }, onDone);
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

/** Sends a signed test and waits for the answer to its first attempt. */
export function useTestEndpoint() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (webhookId: string) => read(service.webhooks.test({ webhook_id: webhookId })),
    onSuccess: () => queries.invalidateQueries({ queryKey: WEBHOOKS, predicate: isOfEndpoints }),
  });
}

/** Sends a message again, then asks for what became of it and for the attempts: nothing else has changed. */
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

/** Sends many messages again, and follows that until it is done. */
export function useRecovery() {
  const [taskId, setTaskId] = useState('');
  const begin = useMutation({
    mutationFn: async ({ webhookId: webhook_id, kind, since }: Recovery) =>
      kind === 'recover'
        ? read(service.webhooks.recover({ webhook_id, since }))
        : read(service.webhooks.replayMissing({ webhook_id, since })),
    onSuccess: ({ task_id: id }) => setTaskId(id),
  });
  const task = useQuery({
    queryKey: [...WEBHOOKS, 'task', taskId],
    queryFn: ({ signal }) => read(service.webhooks.task({ task_id: taskId }, { signal })),
    enabled: taskId !== '',
    refetchInterval: ({ state: { data } }) => (data?.status === 'done' ? false : TASK_POLL_MS),
  });
  return { begin, task: task.data ?? begin.data, taskError: task.error };
}
