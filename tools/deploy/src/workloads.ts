import type registry from '../../../services.json';

type Registry = typeof registry;

export type ProcessName = { [Service in keyof Registry]: keyof Registry[Service]['processes'] }[keyof Registry];

export type Scaling =
  /** CPU above 60 % of the request; with `lagMs` also a p99 event loop delay above it. */
  | { readonly by: 'cpu'; readonly replicasMax: number; readonly lagMs?: number }
  /** 95th percentile of a histogram of waits above `seconds`. */
  | { readonly by: 'wait'; readonly replicasMax: number; readonly histogram: string; readonly seconds: number };

export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly replicas: number;
  /** Manual if absent. */
  readonly scaling?: Scaling;
  /** From the stop request to the kill. A process forces its own exit after 29 s. */
  readonly graceSeconds: number;
  /** Limits a drain to one pod at a time. */
  readonly isKeptUp: boolean;
  /** CPU request; a core is 1,000. No limit, which would throttle it under peak load. */
  readonly cpuMilli: number;
  /** Request: at least twice the use at rest with two symbols. Limit: an unmeasured allowance for load. */
  readonly memoryMib: { readonly requested: number; readonly allowed: number };
  readonly callsOutside?: readonly number[];
}

/** Longer than the 29 s after which a process forces its own exit. */
const GRACE_SECONDS = 35;
const HTTPS = 443;
const SMTP = [465, 587];

const answering = {
  kind: 'Deployment',
  replicas: 2,
  scaling: { by: 'cpu', replicasMax: 6 },
  graceSeconds: GRACE_SECONDS,
  isKeptUp: true,
} as const;

/** One pod per symbol shard: `SHARD_COUNT` in total, set by the overlay along with the replicas. */
const sharded = { kind: 'StatefulSet', replicas: 1, graceSeconds: GRACE_SECONDS, isKeptUp: false } as const;

/** Every deployed process. Excludes the simulated venue, which listens only on loopback. */
export const workloads: Readonly<Record<Exclude<ProcessName, 'simulated-venue'>, Workload>> = {
  account: { ...answering, cpuMilli: 250, memoryMib: { requested: 128, allowed: 384 }, callsOutside: [HTTPS, ...SMTP] },
  // Two per shard: one plays, the other is on standby.
  'data-plane-feed': {
    kind: 'StatefulSet',
    replicas: 2,
    graceSeconds: GRACE_SECONDS,
    isKeptUp: true,
    cpuMilli: 500,
    memoryMib: { requested: 256, allowed: 512 },
    callsOutside: [HTTPS],
  },
  'data-plane-recorder': { ...sharded, cpuMilli: 500, memoryMib: { requested: 256, allowed: 768 } },
  'data-plane': { ...answering, cpuMilli: 500, memoryMib: { requested: 256, allowed: 768 } },
  labeling: { ...sharded, cpuMilli: 500, memoryMib: { requested: 256, allowed: 768 } },
  export: { ...answering, cpuMilli: 100, memoryMib: { requested: 128, allowed: 384 } },
  'export-worker': {
    kind: 'Deployment',
    replicas: 1,
    scaling: { by: 'wait', replicasMax: 8, histogram: 'export_queue_wait_seconds', seconds: 30 },
    graceSeconds: 60,
    isKeptUp: false,
    cpuMilli: 500,
    memoryMib: { requested: 256, allowed: 1_024 },
  },
  webhook: { ...answering, cpuMilli: 100, memoryMib: { requested: 128, allowed: 384 } },
  'webhook-evaluator': {
    kind: 'Deployment',
    replicas: 2,
    graceSeconds: GRACE_SECONDS,
    isKeptUp: false,
    cpuMilli: 250,
    memoryMib: { requested: 128, allowed: 384 },
  },
  'webhook-worker': {
    kind: 'Deployment',
    replicas: 1,
    scaling: { by: 'wait', replicasMax: 10, histogram: 'webhook_due_age_seconds', seconds: 5 },
    graceSeconds: 60,
    isKeptUp: false,
    cpuMilli: 250,
    memoryMib: { requested: 128, allowed: 384 },
    callsOutside: [HTTPS, 8_443, ...SMTP],
  },
  mcp: {
    kind: 'Deployment',
    replicas: 2,
    scaling: { by: 'cpu', replicasMax: 6 },
    graceSeconds: GRACE_SECONDS,
    isKeptUp: true,
    cpuMilli: 100,
    memoryMib: { requested: 128, allowed: 384 },
  },
  gateway: {
    kind: 'Deployment',
    replicas: 2,
    scaling: { by: 'cpu', replicasMax: 8, lagMs: 50 },
    graceSeconds: 40,
    isKeptUp: true,
    cpuMilli: 1_000,
    memoryMib: { requested: 256, allowed: 768 },
  },
};
