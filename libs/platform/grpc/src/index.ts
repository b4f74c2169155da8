export {
  type CallContext,
  type ServiceMethods,
  bindService,
  type BoundService,
  type ServiceHandlers,
  type UnaryHandler,
  withDeps,
} from './service';
export { createClient, type ClientCalls, type ClientOptions, type GrpcClient } from './client';
export { clientOfEach, type ClientOfEachOptions } from './each-process';
export { followEach, followStream, type FollowedStream } from './follow-stream';
export { followHealth, type FollowedHealth, createHealth, type Health, WHOLE_PROCESS, healthDefinition } from './health';
export { callerFileText, callerTokens, tokenIdentity } from './identity/token-identity';
export { type CallerTable, type RpcIdentity, type RpcPeer } from './identity/identity';
export { openIdentity } from './identity/open-identity';
export { certificateNameOf } from './identity/certificates';
export { fromPartialFailure, toPartialFailure } from './error-translation';
export { startGrpcServer, type GrpcServer, type GrpcServerOptions } from './server';
