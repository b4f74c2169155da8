import type registry from '../../../services.json';

type Registry = typeof registry;

/** Name of one of our processes. */
export type ProcessName = { [Service in keyof Registry]: keyof Registry[Service]['processes'] }[keyof Registry];

/** What makes more replicas of a process, up to `replicasMax`. */
export type Scaling =
  /** Its CPU over 60 % of what it asks for; `lagMs`: or the p99 of its event loop's delay over so many milliseconds. */
  | { readonly by: 'cpu'; readonly replicasMax: number; readonly lagMs?: number }
  /** The 95th percentile of a histogram of waits, in seconds, over `seconds`. */
  | { readonly by: 'wait'; readonly replicasMax: number; readonly histogram: string; readonly seconds: number };

/** What a process needs of the machines that it runs on. */
export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet';
  /** How many there are at least. */
  readonly replicas: number;
  /** Absent: by hand. */
  readonly scaling?: Scaling;
  /** From the request to stop until it is killed. A process forces its own end after 29 s. */
  readonly graceSeconds: number;
  /** Whether a drained machine may take away but one at a time. */
  readonly isKeptUp: boolean;
  /** Asked for; a core is 1,000. None is denied more: a limit would slow it in the very moment of need. */
  readonly cpuMilli: number;
  /** Asked for: twice or more what it takes at rest with two symbols. Allowed: room for load, not measured. */
  readonly memoryMib: { readonly asked: number; readonly allowed: number };
  /** TCP ports of addresses outside that it calls. */
  readonly callsOutside?: readonly number[];
}

/** Longer than the 29 s after which a process forces its own end. */
const GRACE_SECONDS = 35;
const HTTPS = 443;
const SMTP = [465, 587];

/** A service with a database of its own that answers RPCs. */
const answering = {
  kind: 'Deployment',
  replicas: 2,
  scaling: { by: 'cpu', replicasMax: 6 },
  graceSeconds: GRACE_SECONDS,
  isKeptUp: true,
} as const;

/** One a shard of symbols: `SHARD_COUNT` in all, which the overlay sets together with the replicas. */
const sharded = { kind: 'StatefulSet', replicas: 1, graceSeconds: GRACE_SECONDS, isKeptUp: false } as const;

/** Every process that is deployed. The simulated venue is not: it listens on loopback alone. */
export const workloads: Readonly<Record<Exclude<ProcessName, 'simulated-venue'>, Workload>> = {
  account: { ...answering, cpuMilli: 250, memoryMib: { asked: 128, allowed: 384 }, callsOutside: [HTTPS, ...SMTP] },
  // Two a shard: one plays, the other stands by and is ready when it could take over; they are replaced one after the other.
  'data-plane-feed': {
    kind: 'StatefulSet',
    replicas: 2,
    graceSeconds: GRACE_SECONDS,
    isKeptUp: true,
    cpuMilli: 500,
    memoryMib: { asked: 256, allowed: 512 },
    callsOutside: [HTTPS],
  },
  'data-plane-recorder': { ...sharded, cpuMilli: 500, memoryMib: { asked: 256, allowed: 768 } },
  'data-plane': { ...answering, cpuMilli: 500, memoryMib: { asked: 256, allowed: 768 } },
  labeling: { ...sharded, cpuMilli: 500, memoryMib: { asked: 256, allowed: 768 } },
  export: { ...answering, cpuMilli: 100, memoryMib: { asked: 128, allowed: 384 } },
  'export-worker': {
    kind: 'Deployment',
    replicas: 1,
    scaling: { by: 'wait', replicasMax: 8, histogram: 'export_queue_wait_seconds', seconds: 30 },
    graceSeconds: 60,
    isKeptUp: false,
    cpuMilli: 500,
    memoryMib: { asked: 256, allowed: 1_024 },
  },
  webhook: { ...answering, cpuMilli: 100, memoryMib: { asked: 128, allowed: 384 } },
  'webhook-evaluator': {
    kind: 'Deployment',
    replicas: 2,
    graceSeconds: GRACE_SECONDS,
    isKeptUp: false,
    cpuMilli: 250,
    memoryMib: { asked: 128, allowed: 384 },
  },
  'webhook-worker': {
    kind: 'Deployment',
    replicas: 1,
    scaling: { by: 'wait', replicasMax: 10, histogram: 'webhook_due_age_seconds', seconds: 5 },
    graceSeconds: 60,
    isKeptUp: false,
    cpuMilli: 250,
    memoryMib: { asked: 128, allowed: 384 },
    callsOutside: [HTTPS, 8_443],
  },
  mcp: {
    kind: 'Deployment',
    replicas: 2,
    scaling: { by: 'cpu', replicasMax: 6 },
    graceSeconds: GRACE_SECONDS,
    isKeptUp: true,
    cpuMilli: 100,
    memoryMib: { asked: 128, allowed: 384 },
  },
  gateway: {
    kind: 'Deployment',
    replicas: 2,
    scaling: { by: 'cpu', replicasMax: 8, lagMs: 50 },
    graceSeconds: 40,
    isKeptUp: true,
    cpuMilli: 1_000,
    memoryMib: { asked: 256, allowed: 768 },
  },
};
