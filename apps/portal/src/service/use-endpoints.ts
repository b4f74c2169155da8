import type { Schemas } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { service } from './client';
import { readPages } from './read-pages';

export type Endpoint = Schemas['WebhookRecord'];

export const WEBHOOKS = ['webhooks'] as const;
const A_PAGE = 1_000;

export function useEndpoints() {
  return useQuery({
    queryKey: [...WEBHOOKS, 'endpoints'],
    queryFn: ({ signal }) => readPages(service.webhooks.rows({ limit: A_PAGE }, { signal }), ({ webhooks }) => webhooks),
  });
}
