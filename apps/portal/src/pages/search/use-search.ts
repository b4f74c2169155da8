import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';
import type { Hit } from './hits';
import { type SearchQuery, sentQuery, writeQuery } from './search-query';
import { marketNamed } from '../../packets/market-name';

const PAGE_HITS = 100;
export const PAGE_CREDITS_MAX = service.creditsAtMost('searchEvents', { limit: PAGE_HITS }) ?? 0;

export function useSearch(query: SearchQuery | null) {
  return useInfiniteQuery({
    queryKey: ['search', query === null ? '' : String(writeQuery(query))],
    queryFn: async ({ signal, pageParam }) => {
      const answer = service.events.search(
        {
          ...(query === null ? {} : sentQuery(query)),
          view: 'compact',
          limit: PAGE_HITS,
          ...(pageParam === '' ? {} : { cursor: pageParam }),
        },
        { signal },
      );
      const { rows, next_cursor: cursor } = await read(answer);
      return { hits: (rows as readonly Hit[]).map(marketNamed), cursor, charged: (await answer).call.charged ?? 0 };
    },
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
    enabled: query !== null,
    staleTime: Infinity,
  });
}

const SAVED = ['saved searches'] as const;
const SAVED_A_PAGE = 100;

export function useSavedSearches() {
  return useQuery({
    queryKey: SAVED,
    queryFn: ({ signal }) => readPages(service.savedSearches.rows({ limit: SAVED_A_PAGE }, { signal }), (page) => page.saved_searches),
    staleTime: Infinity,
  });
}

export function useSaveSearch(onSaved: (savedId: string) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, query }: { readonly name: string; readonly query: SearchQuery }) =>
      read(service.savedSearches.create({ name, query: sentQuery(query) })),
    async onSuccess({ saved_search_id: id }) {
      onSaved(id);
      await queries.invalidateQueries({ queryKey: SAVED });
    },
  });
}

export function useDeleteSearch() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (savedId: string) => read(service.savedSearches.delete({ saved_search_id: savedId })),
    onSuccess: () => queries.invalidateQueries({ queryKey: SAVED }),
  });
}
