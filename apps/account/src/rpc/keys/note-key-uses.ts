import type { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { idFaults, instantFaults, refuseFaults } from '@market-state/request-checks';
import { writeUses } from '../../store/keys';

const USES_MAX = 1_000;

/** Writes the last uses of keys, where they are later than those known. */
export async function noteKeyUses(
  { pool, clock }: { readonly pool: Queryable; readonly clock: () => number },
  { uses }: account.NoteKeyUsesRequest,
): Promise<account.NoteKeyUsesResponse> {
  const tooMany: Fault[] = uses.length <= USES_MAX ? [] : [{ field: 'uses', message: `must be ${USES_MAX} at most`, type: 'out_of_range' }];
  refuseFaults([
    ...tooMany,
    ...uses.flatMap(({ keyId, usedTsMs }, index) => [
      ...idFaults(`uses[${index}].key_id`, keyId),
      ...instantFaults(`uses[${index}].used_ts_ms`, usedTsMs),
    ]),
  ]);
  const nowMs = clock();
  await writeUses(
    pool,
    uses.map(({ keyId, usedTsMs }) => ({ keyId, usedTsMs: Math.min(usedTsMs, nowMs) })),
  );
  return {};
}
