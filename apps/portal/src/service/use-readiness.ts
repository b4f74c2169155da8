import { type Data, ServerError } from '@market-state/client';
import { useQuery } from '@tanstack/react-query';
import { frameService, read } from './client';

export type Readiness = Data<'getReadyz'>;

const READINESS = { queryKey: ['readiness'], queryFn: ({ signal }: { readonly signal: AbortSignal }) => readReadiness(signal) };

/** A service that is not ready responds with an error status and a body of the same form. */
async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  try {
    return await read(frameService.service.ready({ signal }));
  } catch (error) {
    if (error instanceof ServerError && Array.isArray(error.body['dependencies'])) return error.body as unknown as Readiness;
    throw error;
  }
}

/** Free. */
export function useReadiness(refetchInterval: number | false) {
  return useQuery({ ...READINESS, refetchInterval });
}

const FILLING_EVERY_MS = 2_000;

/** Progress of histories that are being filled. Read once, and repeatedly until the service is ready and none is. */
export function useFilling(): NonNullable<Readiness['filling']> {
  const { data } = useQuery({
    ...READINESS,
    refetchInterval: ({ state }) => (state.data === undefined || isSettled(state.data) ? false : FILLING_EVERY_MS),
  });
  return data?.filling ?? [];
}

function isSettled({ status, filling = [] }: Readiness): boolean {
  return status === 'ready' && filling.length === 0;
}
