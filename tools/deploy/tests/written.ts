import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { parse, parseAllDocuments } from 'yaml';
import { BASE, COMPOSE, writtenManifests } from '../src/manifests';

export interface Written {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: Spec;
  readonly [part: string]: unknown;
}

interface ValueSource {
  readonly configMapKeyRef?: { readonly name: string; readonly key: string };
  readonly fieldRef?: { readonly fieldPath: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { name: string; value?: string; valueFrom?: ValueSource }[];
  readonly ports?: readonly { name: string; containerPort: number }[];
  readonly securityContext: unknown;
  readonly [part: string]: unknown;
}

interface PodSpec {
  readonly containers: readonly [Container];
  readonly securityContext: unknown;
  readonly volumes: readonly { name: string; secret?: { secretName: string; items: readonly { key: string; path: string }[] } }[];
}

interface Spec {
  readonly template: { readonly metadata: { readonly annotations: Readonly<Record<string, string>> }; readonly spec: PodSpec };
  readonly ports: readonly { name: string; port: number }[];
  readonly [part: string]: unknown;
}

export function textOf(path: string): string {
  return readFileSync(join(workspaceRoot(), path), 'utf8');
}

export function objectsIn(text: string): readonly Written[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Written);
}

/** The objects of every generated file of the base, but what only Kustomize reads. */
export const baseObjects: readonly Written[] = writtenManifests(workspaceRoot())
  .filter((path) => path.startsWith(BASE) && !path.endsWith('kustomization.yaml'))
  .flatMap((path) => objectsIn(textOf(path)));

export function ofKind(...kinds: readonly string[]): readonly Written[] {
  return baseObjects.filter(({ kind }) => kinds.includes(kind));
}

export interface ComposeService {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { source: string; target: string }[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [part: string]: unknown;
}

export interface ComposeFile {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, unknown>>;
}

export function composeFileWritten(): ComposeFile {
  return parse(textOf(COMPOSE)) as ComposeFile;
}
