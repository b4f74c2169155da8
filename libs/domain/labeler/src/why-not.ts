export { contestOf, whyNot } from './why-not/why-not';
export type { DecisiveChange, WhyNot } from './why-not/why-not';
export type { DecidedPacket } from './why-not/standing';
