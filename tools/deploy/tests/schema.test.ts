import { faultsOf } from './object-faults';
import { baseObjects, objectsIn, ofKind, textOf, type Written } from './written';

test.each(baseObjects.map((object) => [`${object.kind} ${object.metadata.name}`, object] as const))(
  '%s follows its schema and has no field beyond it',
  (_name, object) => {
    expect(faultsOf(object)).toEqual([]);
  },
);

test.each(['production/ingress.yaml', 'small/volumes.yaml'])('what the overlay has of its own follows its schema: %s', (file) => {
  for (const object of objectsIn(textOf(`deploy/kubernetes/overlays/${file}`))) expect(faultsOf(object)).toEqual([]);
});

type Path = readonly (string | number)[];
const CONTAINER: Path = ['spec', 'template', 'spec', 'containers', 0];

/** A copy in which one field is this, or is not there. */
function withField(object: Written | undefined, path: Path, value: unknown): Written {
  const copy = structuredClone(object) as Written;
  const within = path.slice(0, -1).reduce((at: Record<string | number, unknown>, key) => at[key] as typeof at, { ...copy });
  Object.assign(within, { [path.at(-1) ?? '']: value });
  return path.length === 1 ? { ...copy, ...within } : copy;
}

const [deployment] = ofKind('Deployment');
const [scaled] = ofKind('ScaledObject');

test.each<[string, Path, unknown, string]>([
  ['a field beside the spec', ['spce'], {}, 'spce is no field'],
  ['a field of the spec', ['spec', 'replica'], 2, 'spec.replica is no field'],
  ['a field of a container', [...CONTAINER, 'livenesProbe'], {}, 'spec.template.spec.containers[0].livenesProbe is no field'],
  ['a number as text', ['spec', 'template', 'spec', 'terminationGracePeriodSeconds'], '40', 'terminationGracePeriodSeconds'],
  ['a container without a name', [...CONTAINER, 'name'], undefined, 'name'],
])('%s is found', (_what, path, value, fault) => {
  expect(faultsOf(withField(deployment, path, value)).join()).toContain(fault);
});

test('so is a field that KEDA does not know', () => {
  expect(faultsOf(withField(scaled, ['spec', 'minReplicas'], 1))).toEqual(['spec.minReplicas is no field']);
});
