import { type ServerInterceptor, ServerInterceptingCall } from '@grpc/grpc-js';
import { ServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import { toStatus } from './error-translation';
import type { CallerTable, RpcIdentity } from './identity/identity';

export interface CallGuardDeps {
  readonly identity: RpcIdentity;
  readonly callers: CallerTable;
  readonly logger: Logger;
  readonly metrics?: Metrics;
}

/**
 * Refuses a call before its message is read: UNAUTHENTICATED when it does not prove which service calls, PERMISSION_DENIED when that
 * service may not call the method.
 */
export function createCallGuard({ identity, callers, logger, metrics }: CallGuardDeps): ServerInterceptor {
  const allowed = new Map(Object.entries(callers).map(([path, services]) => [path, new Set(services)]));

  function refusalOf(path: string, caller: string | undefined): ServiceError | undefined {
    if (caller === undefined)
      return new ServiceError({
        code: 'UNAUTHENTICATED',
        reason: 'caller_not_proved',
        sentence: 'The call does not prove which service makes it.',
      });
    if (allowed.get(path)?.has(caller) === true) return undefined;
    return new ServiceError({ code: 'PERMISSION_DENIED', reason: 'caller_not_allowed', sentence: `${caller} may not call this method.` });
  }

  return ({ path }, call) =>
    new ServerInterceptingCall(call, {
      start(next) {
        next({
          onReceiveMetadata(metadata, pass) {
            const caller = identity.callerOf({ metadata, path, certificate: call.getAuthContext().sslPeerCertificate });
            const refusal = refusalOf(path, caller);
            if (refusal === undefined) return pass(metadata);
            logger.warn(
              { method: path, caller: caller ?? null, peer: call.getPeer(), code: refusal.code },
              'call refused before its handler',
            );
            metrics?.grpcServer.observe({ method: path, code: refusal.code }, 0);
            call.sendStatus(toStatus(refusal).status);
          },
        });
      },
    });
}
