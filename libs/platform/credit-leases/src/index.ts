export { createLeaseDesk, type LeaseDesk } from './lease-desk';
export { type Lease } from './lease';
export { type LeaseHolder } from './lease-holder';
export { receiptIdOf } from './receipt-id';
