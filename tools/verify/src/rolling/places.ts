import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitions, freePort, type ProcessDefinition } from '@market-state/launcher';

/** The names that processes have for each other, as a cluster's DNS gives them: each name has the address of every process of it. */
const DOMAIN = 'rolling.internal';
const HOSTS = ['127.0.0.1', '127.0.0.2'] as const;

/** One process of a definition: the second is `<name>-2`. */
export interface Place {
  readonly name: string;
  readonly definition: ProcessDefinition;
  readonly host: string;
  readonly ports: { readonly ops: number; readonly grpc?: number; readonly public?: number };
  /** What it is told beside what all are told. */
  readonly settings: NodeJS.ProcessEnv;
}

/** Two processes of every definition, and where each is. */
export interface Places {
  readonly all: readonly Place[];
  /** The variables by which processes find each other. */
  readonly addresses: NodeJS.ProcessEnv;
  /** A file as /etc/hosts, with all their names. */
  readonly hostsFile: string;
}

/** Processes that each work on a shard of the symbols. */
const SHARDED = ['data-plane-recorder', 'labeling'];

/** The market is no process of ours: nothing of it is replaced. */
const placed = definitions.filter(({ onlyForFeed }) => onlyForFeed === undefined);

/**
 * @param folder where the file of names is written
 * @param shardsFile the symbols of each shard, of which there are as many as processes
 */
export async function drawPlaces(folder: string, shardsFile: string): Promise<Places> {
  const all: Place[] = [];
  const addresses: NodeJS.ProcessEnv = {};
  const lines: string[] = ['127.0.0.1 localhost'];
  for (const definition of placed) {
    const { name, addressVariable } = definition;
    const grpc = addressVariable === undefined ? undefined : await freePort();
    if (addressVariable !== undefined) addresses[addressVariable] = `${name}.${DOMAIN}:${grpc}`;
    for (const [index, host] of HOSTS.entries()) {
      const ports = {
        ops: await freePort(),
        ...(grpc === undefined ? {} : { grpc }),
        ...(definition.isPublic === true ? { public: await freePort() } : {}),
      };
      const isSharded = SHARDED.includes(name);
      const shard = isSharded ? { SHARDS_FILE: shardsFile, SHARD_COUNT: String(HOSTS.length), SHARD_INDEX: String(index) } : {};
      all.push({ name: index === 0 ? name : `${name}-${index + 1}`, definition, host, ports, settings: shard });
      lines.push(`${host} ${name}.${DOMAIN}`);
    }
  }
  const hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, `${lines.join('\n')}\n`);
  return { all, addresses, hostsFile };
}

/** Where the first process of a name is reached from this process. */
export function addressOf({ all }: Places, name: string): string {
  const place = all.find((each) => each.name === name);
  if (place?.ports.grpc === undefined) throw new Error(`${name} serves no RPCs.`);
  return `${place.host}:${place.ports.grpc}`;
}
