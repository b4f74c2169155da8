import { CALLERS } from '@market-state/contracts';
import { outsideRanges } from '@market-state/guarded-http';
import { type Deployed, deployed } from '../deployed';
import type { ProcessName } from '../workloads';
import { PORTS, STORE_PORTS, TRACES_PORT } from '../locations';
import { type KubernetesObject, labelsOf, OURS, serviceLabels } from './pod';

interface Arrow {
  readonly caller: ProcessName;
  readonly server: ProcessName;
}

const HEALTH = '/grpc.health.v1.Health/';

/** Health checks follow from addresses. */
export const arrows: readonly Arrow[] = deployed.flatMap(({ name: caller, variables }) => {
  const paths = Object.keys(CALLERS).filter((path) => CALLERS[path]?.some((name) => name === caller));
  const probesHealth = paths.some((path) => path.startsWith(HEALTH));
  const servers = deployed.filter(
    ({ name, definition: { serves, addressVariable } }) =>
      name !== caller &&
      (paths.some((path) => serves !== undefined && path.startsWith(`/${serves}.`)) ||
        (probesHealth && addressVariable !== undefined && variables.addresses.includes(addressVariable))),
  );
  return servers.map(({ name: server }) => ({ caller, server }));
});

const STORE_LABEL = 'market-state/store';
const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

const tcp = (...ports: readonly number[]) => ports.map((port) => ({ protocol: 'TCP', port }));
const pods = (process: string) => [{ podSelector: { matchLabels: labelsOf(process) } }];

const MONITORING = 'monitoring';
const inNamespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });

const outside = outsideRanges.map(({ range, except }) => ({ ipBlock: { cidr: range, except } }));

/** A store in this cluster, or at a private address. */
function storePeers(store: string) {
  return [
    { namespaceSelector: {}, podSelector: { matchLabels: { [STORE_LABEL]: store } } },
    ...PRIVATE_RANGES.map((cidr) => ({ ipBlock: { cidr } })),
  ];
}

const toPostgres = { to: storePeers('postgres'), ports: tcp(STORE_PORTS.postgres) };

function policy(name: string, labels: object, spec: object): KubernetesObject {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name, labels: { ...OURS, ...labels } }, spec };
}

/** One rule for each arrow, store and kind of outside address. A rule without peers allows any. */
export function networkPolicyOf({ name, service, definition, workload, variables }: Deployed): KubernetesObject {
  const uses = (secret: string): boolean => variables.secrets.some((file) => file.name === secret);
  const ingress = [
    ...arrows.filter(({ server }) => server === name).map(({ caller }) => ({ from: pods(caller), ports: tcp(PORTS.rpc) })),
    ...(definition.isPublic === true ? [{ ports: tcp(PORTS.public) }] : []),
  ];
  const egress = [
    ...arrows.filter(({ caller }) => caller === name).map(({ server }) => ({ to: pods(server), ports: tcp(PORTS.rpc) })),
    ...('GATEWAY_URL' in variables.fixed ? [{ to: pods('gateway'), ports: tcp(PORTS.public) }] : []),
    ...(uses('DATABASE_URL') ? [toPostgres] : []),
    ...(uses('REDIS_URL') ? [{ to: storePeers('redis'), ports: tcp(STORE_PORTS.redis) }] : []),
    ...(uses('AWS_CREDENTIALS') ? [{ ports: tcp(STORE_PORTS.objects) }] : []),
    ...(workload.callsOutside === undefined ? [] : [{ to: outside, ports: tcp(...workload.callsOutside) }]),
  ];
  return policy(name, serviceLabels(service), {
    podSelector: { matchLabels: labelsOf(name) },
    policyTypes: ['Ingress', 'Egress'],
    ingress,
    egress,
  });
}

/** Only DNS queries and Prometheus scrapes are allowed. */
export const sharedPolicies: readonly KubernetesObject[] = [
  policy('default-deny', {}, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
  policy(
    'name-server',
    {},
    {
      podSelector: { matchLabels: OURS },
      policyTypes: ['Egress'],
      egress: [
        {
          to: [
            {
              ...inNamespace('kube-system'),
              podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
            },
          ],
          ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)],
        },
      ],
    },
  ),
  policy(
    'metrics',
    {},
    {
      podSelector: { matchLabels: OURS },
      policyTypes: ['Ingress'],
      ingress: [{ from: [inNamespace(MONITORING)], ports: tcp(PORTS.ops) }],
    },
  ),
];

/** Allows OTLP over HTTP to collectors in the monitoring namespace. Applied if an overlay names one. */
export const tracesPolicy: KubernetesObject = policy(
  'traces',
  {},
  {
    podSelector: { matchLabels: OURS },
    policyTypes: ['Egress'],
    egress: [{ to: [inNamespace(MONITORING)], ports: tcp(TRACES_PORT) }],
  },
);

export function migrationPolicy(job: string): KubernetesObject {
  return policy(job, {}, { podSelector: { matchLabels: labelsOf(job) }, policyTypes: ['Ingress', 'Egress'], egress: [toPostgres] });
}
