import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import type { Written } from './written';

interface WatchedReads<T> {
  readonly watched: T;
  /** Paths of fields not read so far; fields inside them are not listed. */
  unread(): readonly string[];
}

interface Node {
  readonly path: string;
  readonly value: object;
  readonly proxy: object;
  readonly read: Set<string>;
}

function watchReads<T extends object>(root: T): WatchedReads<T> {
  const nodes = new Map<object, Node>();

  function watch(value: object, path: string): object {
    const known = nodes.get(value);
    if (known !== undefined) return known.proxy;
    const read = new Set<string>();
    const proxy = new Proxy(value, {
      get(target, key) {
        const found = Reflect.get(target, key) as unknown;
        if (typeof key === 'symbol' || typeof found === 'function') return found;
        read.add(key);
        return typeof found === 'object' && found !== null ? watch(found, pathOf(path, key, target)) : found;
      },
    });
    nodes.set(value, { path, value, proxy, read });
    return proxy;
  }

  return {
    watched: watch(root, '') as T,
    unread: () =>
      [...nodes.values()].flatMap(({ path, value, read }) =>
        Object.keys(value)
          .filter((key) => !read.has(key))
          .map((key) => pathOf(path, key, value)),
      ),
  };
}

function pathOf(path: string, key: string, within: object): string {
  if (Array.isArray(within)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

type Model = new (data: never) => { validate(): void };

const models: Readonly<Record<string, Model>> = {
  'apps/v1 Deployment': Deployment,
  'apps/v1 StatefulSet': StatefulSet,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'batch/v1 Job': Job,
  'keda.sh/v1alpha1 ScaledObject': ScaledObject,
  'networking.k8s.io/v1 Ingress': Ingress,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'v1 ConfigMap': ConfigMap,
  'v1 PersistentVolumeClaim': PersistentVolumeClaim,
  'v1 Service': Service,
  'v1 ServiceAccount': ServiceAccount,
};

/** Faults by the schema of an object's kind, and fields unknown to that schema, which validation ignores. */
export function faultsOf(object: Pick<Written, 'apiVersion' | 'kind'>): readonly string[] {
  const name = `${object.apiVersion} ${object.kind}`;
  const model = models[name];
  if (model === undefined) return [`there is no schema for ${name}`];
  const { watched, unread } = watchReads(new model(object as never));
  try {
    model.prototype.validate.call(watched);
  } catch (error) {
    return [(error as Error).message];
  }
  return unread().map((field) => `${field} is an unknown field`);
}
