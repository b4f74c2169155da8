export { createLeaseRegistry, type LeaseRegistry } from './lease-desk';
export { type Lease } from './lease';
export { type LeaseHolder } from './lease-holder';
export { receiptIdOf } from './receipt-id';
