import type { Params, Schemas } from '@market-state/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { read, service } from '../../service/client';
import { readPages } from '../../service/read-pages';

export type Key = Schemas['KeyRecord'];

export interface NewKey {
  readonly secret: string;
  readonly record: Key;
  /** The key being replaced, if any. */
  readonly ending?: Key;
}

const KEYS = ['account', 'keys'] as const;
const KEYS_A_PAGE = 1_000;

export function useKeys() {
  return useQuery({
    queryKey: KEYS,
    queryFn: ({ signal }) => readPages(service.keys.rows({ limit: KEYS_A_PAGE }, { signal }), ({ rows }) => rows),
  });
}

export function useSpendByKey() {
  return useQuery({
    queryKey: ['usage', 'by key'],
    queryFn: async ({ signal }) => {
      const { spend_by_key: rows } = await read(service.usage.get({ limit: 1 }, { signal }));
      return new Map(rows.flatMap((row) => (row.key_id === null ? [] : [[row.key_id, row] as const])));
    },
  });
}

function useChange<Wish>(send: (wish: Wish) => Promise<void>, onDone: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    gcTime: 0,
    async onSuccess() {
      onDone();
      await queries.invalidateQueries({ queryKey: KEYS });
    },
  });
}

export function useCreateKey(onNewKey: (made: NewKey) => void, onDone: () => void) {
  return useChange(async (wish: Params<'createKey'>) => {
    const { key, record } = await read(service.keys.create(wish));
    onNewKey({ secret: key, record });
  }, onDone);
}

export function useUpdateKey(onDone: () => void) {
  return useChange(async (wish: Params<'updateKey'>) => {
    await read(service.keys.update(wish));
  }, onDone);
}

export function useRotateKey(onNewKey: (made: NewKey) => void, onDone: () => void) {
  return useChange(async ({ keyId, overlapSeconds }: { readonly keyId: string; readonly overlapSeconds: number }) => {
    const { key, record, ending } = await read(service.keys.update({ key_id: keyId, rotate: true, overlap_seconds: overlapSeconds }));
    if (key === undefined) throw new Error('The service returned no new key.');
    onNewKey({ secret: key, record, ...(ending === undefined ? {} : { ending }) });
  }, onDone);
}

export function useRevokeKey(onDone: () => void) {
  return useChange(async (keyId: string) => {
    await read(service.keys.revoke({ key_id: keyId }));
  }, onDone);
}
