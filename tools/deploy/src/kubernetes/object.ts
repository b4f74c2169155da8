/** An object of the Kubernetes API, as it is written to a manifest. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly [part: string]: unknown;
}

export type Labels = Readonly<Record<string, string>>;

const PART_OF = { 'app.kubernetes.io/part-of': 'market-state' };

/** What every pod of ours has, and nobody else's. */
export const OURS: Labels = PART_OF;

/** The labels by which the pods of a process are found. */
export function labelsOf(process: string): Labels {
  return { 'app.kubernetes.io/name': process, ...PART_OF };
}

/** The labels of everything that belongs to a service. */
export function serviceLabels(service: string): Labels {
  return { 'app.kubernetes.io/component': service, ...PART_OF };
}
