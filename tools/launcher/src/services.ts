import registry from '../../../services.json';
import { feedsOf } from './system/feeds';

/** One process of a service, as `services.json` at the top of the workspace describes it. */
interface ProcessEntry {
  /** What it does, in a few words. */
  readonly does: string;
  /** The file that it runs, below the folder of its app. */
  readonly main: string;
  /** Whether it serves or calls RPCs, and so has a certificate or a token by which others know it. */
  readonly speaksRpc?: boolean;
  /** The feed that `FEED` must name for it to run; absent for one that always runs. */
  readonly onlyForFeed?: string;
  /** The variable that tells all where its server is; absent when it has none that others call. */
  readonly addressVariable?: string;
  /** The package of `proto/` whose services it serves; absent: none, beside the health service. */
  readonly serves?: string;
  /** Whether it serves the public port. */
  readonly isPublic?: boolean;
  /** Whether it works with the event log. */
  readonly usesEventLog?: boolean;
  /** Whether it counts calls against limits that are shared; it and those with the event log are told where Redis is. */
  readonly countsCalls?: boolean;
  /** Whether it adds to or serves queues of work; it is told where Redis is. */
  readonly usesQueue?: boolean;
  /** Whether it writes or reads the files of exports; no other process is told where those are. */
  readonly usesExports?: boolean;
  /** Whether it signs packets; no other process is told where the key is. */
  readonly signsPackets?: boolean;
  /** Whether it keeps and reads the archive; no other process is told where that is. */
  readonly usesArchive?: boolean;
  /**
   * Variables that are secrets of the installation, made where the operator sets neither them nor `<NAME>_FILE`; no other process sees
   * them.
   */
  readonly secrets?: readonly string[];
  /** As `secrets`, of the form `<id>:<base64 of 32 bytes>[,…]`: the first key seals, all of them open. */
  readonly keyRings?: readonly string[];
  /** Settings that no other process sees, but those that name them too; `*` stands for any letters. */
  readonly ownSettings?: readonly string[];
  /** Settings that every process may see; `*` stands for any letters. */
  readonly settings?: readonly string[];
  /**
   * Its settings where the operator sets none. `{dataDir}`, `{publicUrl}`, `{demoTenant}`, and `{portal}` and `{docs}`, the
   * folders of their builds, are filled in.
   */
  readonly defaults?: Readonly<Record<string, string>>;
  /**
   * Settings of its own with which the system is tried out, where the operator sets none of them; absent with NODE_ENV=production.
   * `{demoAuthority}` is filled in: the file with the authority of demo certificates.
   */
  readonly demoSettings?: Readonly<Record<string, string>>;
  /** Order of the stop: lower numbers go first, equal ones together. */
  readonly stopStage: number;
}

/** A service: one folder under apps/, the processes that run from it, and perhaps a database that they share. */
interface ServiceEntry {
  /** What it owns, as the README's map says it. */
  readonly owns: string;
  /** Whether it has a database, with schema and migrations under its `prisma/`. */
  readonly hasDatabase?: boolean;
  /** By name, which is also that of the bundle under dist/. */
  readonly processes: Readonly<Record<string, ProcessEntry>>;
}

type Registry = typeof registry;
type NameInSql<Name extends string> = Name extends `${infer Start}-${infer Rest}` ? `${Start}_${NameInSql<Rest>}` : Name;
type NameWithDatabase = { [Name in keyof Registry]: 'hasDatabase' extends keyof Registry[Name] ? Name : never }[keyof Registry];

/** Name of a service's database and role: that of the service with `_` for `-`. */
export type DatabaseService = NameInSql<NameWithDatabase>;

/** Every service by name, in the order they are started. */
export const services: Readonly<Record<string, ServiceEntry>> = registry;

/** Name of a service's database. @throws Error when it has none */
export function databaseOf(service: string): DatabaseService {
  if (services[service]?.hasDatabase !== true) throw new Error(`${service} has no database.`);
  return service.replaceAll('-', '_') as DatabaseService;
}

/** One of our processes, as the launcher runs it. */
export interface ProcessDefinition extends Omit<ProcessEntry, 'does' | 'main'> {
  /** Name of the process and of its bundle under dist/. */
  readonly name: string;
  /** Whose database it uses. */
  readonly database?: DatabaseService;
}

/** The processes of the system, in the order they are started. */
export const definitions: readonly ProcessDefinition[] = Object.entries(services).flatMap(([service, { hasDatabase, processes }]) =>
  Object.entries(processes).map(([name, entry]) => ({
    name,
    ...entry,
    ...(hasDatabase === true ? { database: databaseOf(service) } : {}),
  })),
);

/** The processes that these settings call for. */
export function definitionsFor(settings: NodeJS.ProcessEnv): readonly ProcessDefinition[] {
  const feeds = feedsOf(settings);
  return definitions.filter(({ onlyForFeed }) => onlyForFeed === undefined || feeds.includes(onlyForFeed));
}
