import type { Schemas } from '@market-state/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { read, service } from '../../service/client';

export type PulledMessage = Schemas['WebhookMessageList']['events'][number];

/** Messages on a page of the pull list. */
const PULLED_A_PAGE = 25;

/** A page of the messages that webhooks carry, in their one order. @param cursor where it begins; empty: at the oldest that is kept */
export function usePullList(cursor: string, kinds: readonly string[], isAsked: boolean) {
  return useQuery({
    queryKey: ['webhooks', 'pull', cursor, kinds.join()],
    queryFn: ({ signal }) =>
      read(
        service.webhooks.events(
          { limit: PULLED_A_PAGE, ...(cursor === '' ? {} : { cursor }), ...(kinds.length === 0 ? {} : { kinds: kinds.join() }) },
          { signal },
        ),
      ),
    enabled: isAsked,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
}
