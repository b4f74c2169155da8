import { faultsOf } from './object-faults';
import { baseObjects, objectsIn, ofKind, textOf, type Written } from './written';

test.each(baseObjects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
  '%s matches its schema and has no further field',
  (_name, object) => {
    expect(faultsOf(object)).toEqual([]);
  },
);

test.each(['production/ingress.yaml', 'small/volumes.yaml'])("the overlay's own objects match their schemas: %s", (file) => {
  for (const object of objectsIn(textOf(`deploy/kubernetes/overlays/${file}`))) expect(faultsOf(object)).toEqual([]);
});

type Path = readonly (string | number)[];
const CONTAINER: Path = ['spec', 'template', 'spec', 'containers', 0];

/** A copy with one field replaced or removed. */
function withField(object: Written | undefined, path: Path, value: unknown): Written {
  const copy = structuredClone(object) as Written;
  const within = path.slice(0, -1).reduce((at: Record<string | number, unknown>, key) => at[key] as typeof at, { ...copy });
  Object.assign(within, { [path.at(-1) ?? '']: value });
  return path.length === 1 ? { ...copy, ...within } : copy;
}

const [deployment] = ofKind('Deployment');
const [scaled] = ofKind('ScaledObject');

test.each<[string, Path, unknown, string]>([
  ['an unknown field next to the spec', ['spce'], {}, 'spce is an unknown field'],
  ['an unknown field of the spec', ['spec', 'replica'], 2, 'spec.replica is an unknown field'],
  [
    'an unknown field of a container',
    [...CONTAINER, 'livenesProbe'],
    {},
    'spec.template.spec.containers[0].livenesProbe is an unknown field',
  ],
  ['a number as text', ['spec', 'template', 'spec', 'terminationGracePeriodSeconds'], '40', 'terminationGracePeriodSeconds'],
  ['a container without a name', [...CONTAINER, 'name'], undefined, 'name'],
])('finds %s', (_what, path, value, fault) => {
  expect(faultsOf(withField(deployment, path, value)).join()).toContain(fault);
});

test('finds a field unknown to KEDA', () => {
  expect(faultsOf(withField(scaled, ['spec', 'minReplicas'], 1))).toEqual(['spec.minReplicas is an unknown field']);
});
