import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { account } from '@market-state/contracts';
import type { ProofResult } from '../../proof';
import type { Scene } from '../scene';

const DEADLINE_MS = 5_000;
const REFUSED: ReadonlySet<number> = new Set([status.UNAVAILABLE, status.UNAUTHENTICATED, status.PERMISSION_DENIED]);

/** Someone on the same machine who calls account without any credential: no method of it does anything. */
export async function callWithoutCredential({ market, edge, seed }: Scene): Promise<ProofResult> {
  const client = new Client(market.accountAddress, credentials.createInsecure());
  const tenantName = `stranger ${seed}`;
  try {
    const list = account.OperatorServiceService.listTenants;
    const issue = account.KeyServiceService.issueKey;
    const codes = [
      await codeOf((done) =>
        client.makeUnaryRequest(
          list.path,
          list.requestSerialize,
          list.responseDeserialize,
          { limit: 10, cursor: '' },
          new Metadata(),
          deadline(),
          done,
        ),
      ),
      await codeOf((done) =>
        client.makeUnaryRequest(
          issue.path,
          issue.requestSerialize,
          issue.responseDeserialize,
          { tenantName, kind: account.KeyKind.LIVE, scopes: [account.Scope.READ], expiresTsMs: 0 },
          new Metadata(),
          deadline(),
          done,
        ),
      ),
    ];
    const { rowCount } = await edge.pool.query('SELECT 1 FROM tenant WHERE name = $1', [tenantName]);
    return {
      failures: [
        ...(codes.every((code) => REFUSED.has(code))
          ? []
          : [`gRPC without a credential: ListTenants got ${nameOf(codes[0])}, IssueKey ${nameOf(codes[1])}.`]),
        ...(rowCount === 0 ? [] : ['gRPC without a credential: a key was issued.']),
      ],
      timing: [],
      figures: [['gRPC without a credential: ListTenants, IssueKey, tenants made', `${codes.map(nameOf).join(', ')}, ${rowCount ?? 0}`]],
    };
  } finally {
    client.close();
  }
}

function deadline(): { readonly deadline: number } {
  return { deadline: Date.now() + DEADLINE_MS };
}

function codeOf(call: (done: (error: { readonly code: number } | null) => void) => unknown): Promise<number> {
  return new Promise((resolve) => void call((error) => resolve(error === null ? status.OK : error.code)));
}

function nameOf(code: number | undefined): string {
  return code === undefined ? 'no code' : (status[code] ?? String(code));
}
