import type { Writable } from 'node:stream';
import type { RpcSettings } from '@market-state/config';

/** What a command may touch of the world around it, besides the files it is told of. */
export interface CliIo {
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Relative paths start here. */
  readonly cwd: string;
  /** Aborts when the user wants the command to end. */
  readonly signal: AbortSignal;
  /** Where a system that runs on this machine keeps its data, unless the command line says otherwise. */
  readonly dataDir: string;
  /** Where the workspace has the programs that a command reads when it needs them; absent where there is none. */
  readonly programFolder?: string;
  /** Key that the public API is asked with, unless the command line names one. */
  readonly apiKey?: string;
  /** Where the account service answers, unless the command line says otherwise. */
  readonly accountAddress?: string;
  /** Where the archive is, unless the command line says otherwise; undefined: in the data folder. */
  readonly archiveUrl?: string;
  /** How a bucket is reached, by the names that services know. */
  readonly storeVariables?: Readonly<Record<string, string | undefined>>;
  /** How the services are shown who asks; undefined: by what the data folder of the running system holds for operators. */
  readonly rpc?: RpcSettings;
}
