import registry from '../../../services.json';
import { feedsOf } from './system/feeds';

/** A process of a service, as described in `services.json`. */
interface ProcessEntry {
  readonly does: string;
  /** Entry file relative to its app folder. */
  readonly main: string;
  /** Serves or calls RPCs, and so has a certificate or token. */
  readonly speaksRpc?: boolean;
  /** Runs only if `FEED` names this feed. */
  readonly onlyForFeed?: string;
  /** Variable with its server's address; absent if no process calls it. */
  readonly addressVariable?: string;
  /** Package of `proto/` with its services; absent if it serves only the health service. */
  readonly serves?: string;
  readonly isPublic?: boolean;
  readonly usesEventLog?: boolean;
  /** Counts calls against shared limits; gets the Redis URL, like processes with the event log. */
  readonly countsCalls?: boolean;
  /** Adds to or serves work queues; gets the Redis URL. */
  readonly usesQueue?: boolean;
  /** Only these processes get the location of export files. */
  readonly usesExports?: boolean;
  /** Only these processes get the signing key's path. */
  readonly signsPackets?: boolean;
  /** Only these processes get the archive's location. */
  readonly usesArchive?: boolean;
  /** Secret variables, generated unless the operator sets them or `<NAME>_FILE`; hidden from other processes. */
  readonly secrets?: readonly string[];
  /** Like `secrets`, in the form `<id>:<base64 of 32 bytes>[,…]`: the first key seals, all open. */
  readonly keyRings?: readonly string[];
  /** Settings visible only to processes that name them; `*` matches any letters. */
  readonly ownSettings?: readonly string[];
  /** Settings visible to every process; `*` matches any letters. */
  readonly settings?: readonly string[];
  /**
   * Default settings. Placeholders: `{dataDir}`, `{publicUrl}`, `{demoTenant}`, and the build folders `{portal}` and
   * `{docs}`.
   */
  readonly defaults?: Readonly<Record<string, string>>;
  /**
   * Default settings outside production, applied only if the operator sets none of them. `{demoAuthority}` is the file
   * of the demo certificates' authority.
   */
  readonly demoSettings?: Readonly<Record<string, string>>;
  /** Stop order: lower numbers first, equal ones together. */
  readonly stopStage: number;
}

/** A folder under apps/, its processes, and optionally a shared database. */
interface ServiceEntry {
  readonly owns: string;
  /** Schema and migrations are in its `prisma/` folder. */
  readonly hasDatabase?: boolean;
  /** By name, which is also the bundle's name under dist/. */
  readonly processes: Readonly<Record<string, ProcessEntry>>;
}

type Registry = typeof registry;
type NameInSql<Name extends string> = Name extends `${infer Start}-${infer Rest}` ? `${Start}_${NameInSql<Rest>}` : Name;
type NameWithDatabase = { [Name in keyof Registry]: 'hasDatabase' extends keyof Registry[Name] ? Name : never }[keyof Registry];

/** Name of a service's database and role: the service's with `_` for `-`. */
export type DatabaseService = NameInSql<NameWithDatabase>;

/** In start order. */
export const services: Readonly<Record<string, ServiceEntry>> = registry;

/** @throws Error if the service has no database */
export function databaseOf(service: string): DatabaseService {
  if (services[service]?.hasDatabase !== true) throw new Error(`${service} has no database.`);
  return service.replaceAll('-', '_') as DatabaseService;
}

export interface ProcessDefinition extends Omit<ProcessEntry, 'does' | 'main'> {
  readonly name: string;
  readonly database?: DatabaseService;
}

/** In start order. */
export const definitions: readonly ProcessDefinition[] = Object.entries(services).flatMap(([service, { hasDatabase, processes }]) =>
  Object.entries(processes).map(([name, entry]) => ({
    name,
    ...entry,
    ...(hasDatabase === true ? { database: databaseOf(service) } : {}),
  })),
);

export function definitionsFor(settings: NodeJS.ProcessEnv): readonly ProcessDefinition[] {
  const feeds = feedsOf(settings);
  return definitions.filter(({ onlyForFeed }) => onlyForFeed === undefined || feeds.includes(onlyForFeed));
}
