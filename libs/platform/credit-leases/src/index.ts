export { createLeaseRegistry, type LeaseRegistry } from './lease-registry';
export { type Lease } from './lease';
export { type LeaseHolder } from './lease-holder';
export { receiptIdOf } from './receipt-id';
