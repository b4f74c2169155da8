export { checkUrl, type CheckedUrl, type UrlFault } from './check-url';
export {
  type AddressResolver,
  createResolver,
  resolveTarget,
  type ResolvedTarget,
  type ResolveOptions,
  type VettedAddress,
} from './resolve-target';
export { createSender, type Outgoing, type Sender, type SenderOptions, type SendResult } from './sender';
export { faultsOfTestTargets, parseTestTargets, type TestTarget, testTargetOf } from './test-targets';
