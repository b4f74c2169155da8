export { outsideRanges } from './addresses/outside-ranges';
export { checkUrl } from './check-url';
export {
  type AddressResolver,
  createResolver,
  resolveTarget,
} from './resolve-target';
export { createSender, type Sender, type SenderOptions, type SendResult } from './sender';
export { faultsOfTestTargets, parseTestTargets, type TestTarget, testTargetOf } from './test-targets';
