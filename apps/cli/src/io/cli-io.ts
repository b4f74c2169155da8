import type { Readable, Writable } from 'node:stream';
import type { RpcSettings } from '@market-state/config';

/** All that a command may touch, apart from files named on the command line. */
export interface CliIo {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly rows?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** No colour or emphasis even on a terminal: NO_COLOR, or a terminal without them. */
  readonly isPlain?: boolean;
  /** Base of relative paths. */
  readonly cwd: string;
  /** Aborts when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** Data folder of the local system unless the command line names another. */
  readonly dataDir: string;
  /** Folder of programs that commands load on demand. Absent outside a workspace. */
  readonly programFolder?: string;
  readonly url?: string;
  /** Undefined: the profile's key, or the demo key of the local system. */
  readonly apiKey?: string;
  readonly profileFile: string;
  readonly accountAddress?: string;
  /** Default archive. Undefined: in the data folder. */
  readonly archiveUrl?: string;
  /** The `S3_` variables, named as in the services. */
  readonly storeVariables?: Readonly<Record<string, string | undefined>>;
  /** The venues' `…_REST_URL` variables, named as in the services. */
  readonly venueVariables?: Readonly<Record<string, string | undefined>>;
  /** Credentials for the services. Undefined: the operator token in the data folder of the running system. */
  readonly rpc?: RpcSettings;
}
