import { withClient } from '@market-state/launcher';
import type { System } from '@market-state/testing';
import { SYMBOL } from './drill-system';

/** What the databases hold of the drill, each by its id. */
export interface Facts {
  /** Receipts of the customer. */
  readonly receipts: ReadonlySet<string>;
  /** Digest of each packet. */
  readonly packets: ReadonlyMap<string, string>;
  /** Status of each delivery to the customer, by message. */
  readonly deliveries: ReadonlyMap<string, string>;
  /** Status of each export. */
  readonly exports: ReadonlyMap<string, string>;
}

interface Row {
  readonly id: string;
  readonly is: string;
}

export async function readFacts({ stores }: System, tenantId: string): Promise<Facts> {
  const read = async (service: 'account' | 'labeling' | 'webhook' | 'export', sql: string, value: string): Promise<Row[]> =>
    withClient(stores.postgresUrl(service), async (client) => (await client.query<Row>(sql, [value])).rows);
  const [receipts, packets, deliveries, exports] = await Promise.all([
    read('account', `SELECT id, operation_id AS is FROM receipt WHERE tenant_id = $1`, tenantId),
    read('labeling', `SELECT event_id AS id, packet_digest AS is FROM packet WHERE symbol = $1`, SYMBOL),
    read(
      'webhook',
      `SELECT message_id AS id, status::text AS is FROM delivery WHERE tenant_id = $1 AND event_kind = 'packet.created'`,
      tenantId,
    ),
    read('export', `SELECT job_id AS id, status::text AS is FROM export_job WHERE tenant_id = $1`, tenantId),
  ]);
  const byId = (rows: readonly Row[]): ReadonlyMap<string, string> => new Map(rows.map(({ id, is }) => [id, is]));
  return { receipts: new Set(receipts.map(({ id }) => id)), packets: byId(packets), deliveries: byId(deliveries), exports: byId(exports) };
}
