import { account } from '@market-state/contracts';
import type { Scope } from '../openapi/document';

/** What a good key opens. */
export interface Grant {
  readonly keyId: string;
  readonly tenantId: string;
  /** A sandbox key, which may see delayed data only. */
  readonly sandbox: boolean;
  readonly scopes: ReadonlySet<Scope>;
  /** Milliseconds since the epoch; Infinity means no end. */
  readonly expiresMs: number;
}

const SCOPES: Readonly<Record<string, Scope>> = {
  [account.Scope.READ]: 'read',
  [account.Scope.EXPORT]: 'export',
  [account.Scope.AUTOMATION]: 'automation',
  [account.Scope.ACCOUNT]: 'account',
};

export function fromProtoGrant(grant: account.KeyGrant): Grant {
  return {
    keyId: grant.keyId,
    tenantId: grant.tenantId,
    sandbox: grant.kind !== account.KeyKind.LIVE,
    scopes: new Set(grant.scopes.flatMap((scope) => SCOPES[scope] ?? [])),
    expiresMs: grant.expiresTsMs === 0 ? Number.POSITIVE_INFINITY : grant.expiresTsMs,
  };
}
