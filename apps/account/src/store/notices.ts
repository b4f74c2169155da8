import type { Queryable } from '@market-state/postgres';

/** The channel on which every process hears of recalls and of credits that came free. */
export const NOTICE_CHANNEL = 'credit_notice';

/** What happened: leases of a gateway were recalled, or recalled credits of a tenant came free. */
export type Notice = `recall ${string}` | `freed ${string}`;

/** Sends a notice to every process, when the transaction is committed. */
export async function notify(on: Queryable, notice: Notice): Promise<void> {
  await on.query('SELECT pg_notify($1, $2)', [NOTICE_CHANNEL, notice]);
}
