import { status } from '@grpc/grpc-js';
import { account } from '@market-state/contracts';
import { bareCall } from '@market-state/testing';
import { orderFor, type SuiteContext } from '../../harness';
import type { Scene } from '../scene';

/** No answer at all, or one of these. */
const REFUSED: readonly (number | undefined)[] = [undefined, status.UNAVAILABLE, status.UNAUTHENTICATED, status.PERMISSION_DENIED];
const { listTenants } = account.OperatorServiceService;
const { issueKey } = account.KeyServiceService;

/** Someone on the same machine who calls account without any credential: no method of it does anything. */
export async function callWithoutCredential({ market, edge }: Scene, { report, seed }: SuiteContext): Promise<void> {
  const tenantName = `stranger ${seed}`;
  const call = (path: string, message: Buffer): Promise<number | undefined> => bareCall({ address: market.accountAddress, path, message });
  const codes = [
    await call(listTenants.path, Buffer.from(listTenants.requestSerialize({ limit: 10, cursor: '' }))),
    await call(issueKey.path, Buffer.from(issueKey.requestSerialize(orderFor(tenantName)))),
  ];
  const names = codes.map((code) => (code === undefined ? 'no answer' : (status[code] ?? code)));
  const { rowCount } = await edge.pool.query('SELECT 1 FROM tenant WHERE name = $1', [tenantName]);
  report.check(
    codes.every((code) => REFUSED.includes(code)),
    `gRPC without a credential: ListTenants got ${names[0]}, IssueKey ${names[1]}.`,
  );
  report.check(rowCount === 0, 'gRPC without a credential: a key was issued.');
  report.figure('gRPC without a credential: ListTenants, IssueKey, tenants made', `${names.join(', ')}, ${rowCount ?? 0}`);
}
