export { outsideRanges } from './addresses';
export {
  type AddressResolver,
  checkUrl,
  createResolver,
  faultsOfTestTargets,
  parseTestTargets,
  resolveTarget,
  type TestTarget,
  testTargetOf,
} from './check-target';
export { createSender, type Sender, type SenderOptions, type SendResult } from './sender';
