import { CALLERS } from '@market-state/contracts';
import { arrows } from '../src/kubernetes/network';
import { deployed, processAt } from '../src/deployed';
import { ofKind } from './written';

interface Peer {
  readonly podSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly namespaceSelector?: object;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}
interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports: readonly { readonly port: number }[];
}
interface Policy {
  readonly podSelector: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

const NAME = 'app.kubernetes.io/name';
const policies = ofKind('NetworkPolicy').map(({ metadata, spec }) => ({ name: metadata.name, ...(spec as unknown as Policy) }));
const names = new Set<string>(deployed.map(({ name }) => name));
const text = (all: readonly { readonly caller: string; readonly server: string }[]): readonly string[] =>
  all.map(({ caller, server }) => `${caller} → ${server}`).sort();

/** Arrows as drawn by the rules of one side, for the RPC port or the public port, which anyone may call. */
function drawn(side: 'ingress' | 'egress', port = 7_000): readonly string[] {
  return policies
    .flatMap((policy) =>
      (policy[side] ?? []).flatMap((rule) =>
        (rule.from ?? rule.to ?? []).flatMap(({ podSelector, namespaceSelector }) => {
          const other = podSelector?.matchLabels?.[NAME];
          if (other === undefined || namespaceSelector !== undefined) return [];
          expect([
            { protocol: 'TCP', port: 7_000 },
            { protocol: 'TCP', port: 8_080 },
          ]).toContainEqual(rule.ports[0]);
          if (rule.ports[0]?.port !== port) return [];
          const own = policy.podSelector.matchLabels?.[NAME] ?? '';
          return side === 'ingress' ? [`${other} → ${own}`] : [`${own} → ${other}`];
        }),
      ),
    )
    .sort();
}

test('each arrow has one rule at the caller and one at the server, and no other rule connects processes', () => {
  expect(drawn('egress')).toEqual(text(arrows));
  expect(drawn('ingress')).toEqual(text(arrows));
  expect(drawn('egress', 8_080)).toEqual(['mcp → gateway']);
  expect(drawn('ingress', 8_080)).toEqual([]);
});

test("arrows match callers.yaml: each listed process, and the method's server", () => {
  const listed = Object.entries(CALLERS).flatMap(([path, callers]) => {
    const server = deployed.find(({ definition: { serves } }) => serves !== undefined && path.startsWith(`/${serves}.`))?.name;
    return server === undefined ? [] : callers.filter((caller) => names.has(caller)).map((caller) => `${caller} → ${server}`);
  });
  const beyond = text(arrows).filter((arrow) => !listed.includes(arrow));
  expect([...new Set(listed)].filter((arrow) => !text(arrows).includes(arrow))).toEqual([]);
  // It only serves its health check, which the data plane's RPC process calls.
  expect(beyond).toEqual(['data-plane → data-plane-recorder']);
});

test('a process knows the addresses of exactly those it may call', () => {
  const known = deployed.flatMap(({ name, variables }) =>
    variables.addresses.map((variable) => ({ caller: name, server: processAt(variable) })),
  );
  expect(text(known)).toEqual(text(arrows));
});

test('everything not allowed is denied in both directions, for every pod', () => {
  expect(policies.find(({ name }) => name === 'default-deny')).toMatchObject({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  for (const { name } of deployed)
    expect(policies.find((policy) => policy.name === name)).toMatchObject({
      podSelector: { matchLabels: { [NAME]: name } },
      policyTypes: ['Ingress', 'Egress'],
    });
});

function outsidePorts(name: string): readonly number[] {
  const rules = policies.find((policy) => policy.name === name)?.egress ?? [];
  const outside = rules.filter(({ to = [] }) => to.some(({ ipBlock }) => ipBlock?.except !== undefined));
  return outside.flatMap(({ ports }) => ports.map(({ port }) => port));
}

test('only the feed, the webhook sender and account call outside addresses, and no private ones', () => {
  const found = Object.fromEntries(deployed.map(({ name }) => [name, outsidePorts(name)]).filter(([, ports]) => ports?.length !== 0));
  expect(found).toEqual({ account: [443, 465, 587], 'data-plane-feed': [443], 'webhook-worker': [443, 8_443, 465, 587] });
  for (const { egress = [] } of policies)
    for (const { ipBlock } of egress.flatMap(({ to = [] }) => to))
      if (ipBlock?.except !== undefined && ipBlock.cidr === '0.0.0.0/0')
        expect(ipBlock.except).toEqual(expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']));
});

test('a store is open only to processes that know its address', () => {
  const reaching = (port: number): readonly string[] =>
    policies.filter(({ egress = [] }) => egress.some(({ ports }) => ports.some((one) => one.port === port))).map(({ name }) => name);
  const reported = (secret: string): readonly string[] =>
    deployed.filter(({ variables }) => variables.secrets.some(({ name }) => name === secret)).map(({ name }) => name);
  expect([...reaching(6_379)].sort()).toEqual([...reported('REDIS_URL')].sort());
  expect(
    reaching(5_432)
      .filter((name) => !name.startsWith('migrate-'))
      .sort(),
  ).toEqual([...reported('DATABASE_URL')].sort());
});
