import { webhook } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { orUnavailable } from '../database-error';
import { getMessage } from './get-message';
import { listAttempts } from './list-attempts';
import { listMessages } from './list-messages';
import { resendMessage } from './resend-message';

export function bindMessageService(deps: EndpointDeps): BoundService {
  return bindService(
    webhook.MessageServiceService,
    withDeps(deps, { listMessages, getMessage, resendMessage, listAttempts }),
    orUnavailable,
  );
}
