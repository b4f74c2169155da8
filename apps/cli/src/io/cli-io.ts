import type { Readable, Writable } from 'node:stream';
import type { RpcSettings } from '@market-state/config';

/** What a command may touch of the world around it, besides the files it is told of. */
export interface CliIo {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Relative paths start here. */
  readonly cwd: string;
  /** Aborts when the user wants the command to end. */
  readonly signal: AbortSignal;
  /** Where a system that runs on this machine keeps its data, unless the command line says otherwise. */
  readonly dataDir: string;
  /** Where the workspace has the programs that a command reads when it needs them; absent where there is none. */
  readonly programFolder?: string;
  /** The service that is asked, unless the command line names one. */
  readonly url?: string;
  /** Key that it is asked with; undefined: that of the profile, or the demo key of a system on this machine. */
  readonly apiKey?: string;
  /** Where `login` keeps a service and its key. */
  readonly profileFile: string;
  /** Where the account service answers, unless the command line says otherwise. */
  readonly accountAddress?: string;
  /** Where the archive is, unless the command line says otherwise; undefined: in the data folder. */
  readonly archiveUrl?: string;
  /** How a bucket is reached, by the names that services know. */
  readonly storeVariables?: Readonly<Record<string, string | undefined>>;
  /** How the services are shown who asks; undefined: by what the data folder of the running system holds for operators. */
  readonly rpc?: RpcSettings;
}
