import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { faultsOf } from './object-faults';
import { baseObjects, type Container, objectsIn, type Written } from './written';

const KUBECTL = '/usr/bin/kubectl';
const hasKubectl = existsSync(KUBECTL);
const why = hasKubectl ? '' : ': skipped, kubectl is not installed (Debian: kubernetes-client)';

const rendered = new Map<string, readonly Written[]>();

/** Rendered objects of an overlay, cached. */
function render(overlay: string): readonly Written[] {
  const known = rendered.get(overlay);
  if (known !== undefined) return known;
  const folder = join(workspaceRoot(), 'deploy', 'kubernetes', 'overlays', overlay);
  const objects = objectsIn(execFileSync(KUBECTL, ['kustomize', folder], { encoding: 'utf8', stdio: 'pipe' }));
  rendered.set(overlay, objects);
  return objects;
}

const idOf = ({ kind, metadata }: Written): string => `${kind} ${metadata.name}`;
const namesOf = (objects: readonly Written[]): readonly string[] => objects.map(idOf).sort();
const jobs = baseObjects.filter(({ kind }) => kind === 'Job');

function containerOf(objects: readonly Written[], name: string): Container | undefined {
  return objects.find(
    ({ kind, metadata }) => kind !== 'NetworkPolicy' && metadata.name === name && kind.match(/^(Deployment|StatefulSet)$/),
  )?.spec.template.spec.containers[0];
}

(!hasKubectl ? describe.skip : describe)(`kubectl renders the overlays${why}`, () => {
  test.each(['production', 'small'])('%s: every object matches its schema', (overlay) => {
    for (const object of render(overlay)) expect([idOf(object), ...faultsOf(object)]).toEqual([idOf(object)]);
  });

  test.each(['production', 'small'])('%s: the migrations are separate and complete', (overlay) => {
    expect(namesOf(render(join(overlay, 'migrations')))).toEqual(namesOf(jobs));
    expect(render(overlay).filter(({ kind }) => kind === 'Job')).toEqual([]);
  });

  test('production has everything in the base plus an Ingress', () => {
    const objects = render('production');
    const own = objects.filter(({ kind }) => !['ConfigMap', 'Ingress'].includes(kind));
    expect(namesOf(own)).toEqual(namesOf(baseObjects.filter(({ kind }) => kind !== 'Job')));
    expect(objects.filter(({ kind }) => kind === 'Ingress')).toHaveLength(1);
  });

  test.each(['production', 'small'])(
    '%s: sharded processes have a pod for each shard, and the feed a second one; they know their names',
    (overlay) => {
      const objects = render(overlay);
      const settings = objects.find(({ kind }) => kind === 'ConfigMap')?.['data'] as Readonly<Record<string, string>>;
      const fieldOf = ({ spec }: Written) =>
        spec.template.spec.containers[0].env.find(({ name }) => name === 'SHARD_INDEX')?.valueFrom?.fieldRef?.fieldPath;
      const sharded = objects.filter((object) => ['Deployment', 'StatefulSet'].includes(object.kind) && fieldOf(object) !== undefined);
      expect(namesOf(sharded)).toEqual(['StatefulSet data-plane-feed', 'StatefulSet data-plane-recorder', 'StatefulSet labeling']);
      for (const object of sharded) {
        expect(fieldOf(object)).toBe('metadata.name');
        // A small installation has no standby.
        const ofShard = object.metadata.name === 'data-plane-feed' && overlay !== 'small' ? 2 : 1;
        expect(object.spec['replicas']).toBe(ofShard * Number(settings['SHARD_COUNT'] ?? 1));
      }
    },
  );

  test.each([
    ['production', 1],
    ['small', 0],
  ])('%s: processes may only reach a collector if it names one', (overlay, wanted) => {
    const objects = render(overlay);
    const settings = objects.find(({ kind }) => kind === 'ConfigMap')?.['data'] as Readonly<Record<string, string>>;
    const named = Object.keys(settings).filter((name) => name === 'OTEL_EXPORTER_OTLP_ENDPOINT');
    expect(named).toHaveLength(wanted);
    expect(objects.filter(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'traces')).toHaveLength(wanted);
  });

  test('small has one of each process, with its folders, and nothing that needs KEDA', () => {
    const objects = render('small');
    expect(objects.filter(({ kind }) => kind === 'ScaledObject')).toEqual([]);
    for (const { spec } of objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler'))
      expect(spec).toMatchObject({ minReplicas: 1, maxReplicas: 1 });
    for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet'))
      expect([metadata.name, spec['replicas'] ?? 1]).toEqual([metadata.name, 1]);
    expect(containerOf(objects, 'export-worker')?.['volumeMounts']).toEqual(
      expect.arrayContaining([
        { name: 'archive', mountPath: '/data/archive' },
        { name: 'exports', mountPath: '/data/exports' },
        { name: 'tmp', mountPath: '/tmp' },
      ]),
    );
  });

  test.each(['production', 'small'])('%s: pods use the ConfigMap of these settings, so that changes restart them', (overlay) => {
    const objects = render(overlay);
    const settings = objects.find(({ kind }) => kind === 'ConfigMap');
    expect(settings?.metadata.name).toMatch(/^settings-[a-z0-9]+$/);
    expect(settings?.['data']).toMatchObject({ FEED: 'hyperliquid', PUBLIC_BASE_URL: expect.stringMatching(/^https:/) as string });
    const named = objects
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .flatMap(({ spec }) => spec.template.spec.containers[0].env.flatMap(({ valueFrom }) => valueFrom?.configMapKeyRef?.name ?? []));
    expect(new Set(named)).toEqual(new Set([settings?.metadata.name]));
  });
});
