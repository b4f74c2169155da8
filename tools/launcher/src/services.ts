import registry from '../../../services.json';
import { feedsOf } from './system/feeds';

interface ProcessEntry {
  readonly does: string;
  readonly main: string;
  /** Handles every event or call. Other processes use less memory and run slower. */
  readonly isBusy?: boolean;
  /** Its work can wait a moment: where cores are short, it yields to packets and calls. */
  readonly isBackground?: boolean;
  /** Serves or calls RPC, and gets a certificate or token for it. */
  readonly speaksRpc?: boolean;
  readonly onlyForFeed?: string;
  /** Absent if no process calls it. */
  readonly addressVariable?: string;
  /** Package of `proto/`; absent if it serves only the health service. */
  readonly serves?: string;
  readonly isPublic?: boolean;
  readonly usesEventLog?: boolean;
  /** Counts calls in Redis, and gets its URL. */
  readonly countsCalls?: boolean;
  /** Uses a queue in Redis, and gets its URL. */
  readonly usesQueue?: boolean;
  readonly usesExports?: boolean;
  /** Only these processes get the signing key's path. */
  readonly signsPackets?: boolean;
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
   * Applied outside production if the operator sets none of them. `{demoAuthority}` is the file of the demo
   * certificates' authority.
   */
  readonly demoSettings?: Readonly<Record<string, string>>;
  /** Stop order: lower numbers first, equal ones together. */
  readonly stopStage: number;
}

interface ServiceEntry {
  readonly owns: string;
  readonly hasDatabase?: boolean;
  readonly processes: Readonly<Record<string, ProcessEntry>>;
}

type Registry = typeof registry;
type NameInSql<Name extends string> = Name extends `${infer Start}-${infer Rest}` ? `${Start}_${NameInSql<Rest>}` : Name;
type NameWithDatabase = { [Name in keyof Registry]: 'hasDatabase' extends keyof Registry[Name] ? Name : never }[keyof Registry];

/** Name of a service's database and role: the service's with `_` for `-`. */
export type DatabaseService = NameInSql<NameWithDatabase>;

export const services: Readonly<Record<string, ServiceEntry>> = registry;

export function databaseOf(service: string): DatabaseService {
  if (services[service]?.hasDatabase !== true) throw new Error(`${service} has no database.`);
  return service.replaceAll('-', '_') as DatabaseService;
}

export interface ProcessDefinition extends Omit<ProcessEntry, 'does' | 'main'> {
  readonly name: string;
  readonly database?: DatabaseService;
}

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
