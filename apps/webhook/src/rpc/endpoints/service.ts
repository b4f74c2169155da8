import { webhook } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';
import { orUnavailable } from '../database-error';
import { createEndpoint } from './create-endpoint';
import { deleteEndpoint } from './delete-endpoint';
import { enableEndpoint } from './enable-endpoint';
import { getEndpoint } from './get-endpoint';
import { listEndpoints } from './list-endpoints';
import { resealSecrets } from './reseal-secrets';
import { rotateSecret } from './rotate-secret';
import { getTask, recover, replayMissing } from './tasks';
import { testEndpoint } from './test-endpoint';
import { updateEndpoint } from './update-endpoint';

export function bindEndpointService(deps: EndpointDeps): BoundService {
  const handlers = {
    createEndpoint,
    getEndpoint,
    listEndpoints,
    updateEndpoint,
    deleteEndpoint,
    testEndpoint,
    rotateSecret,
    resealSecrets,
    enableEndpoint,
    recover,
    replayMissing,
    getTask,
  };
  return bindService(webhook.EndpointServiceService, withDeps(deps, handlers), orUnavailable);
}
