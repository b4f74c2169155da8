import { z } from 'zod';
import services from '../../../../services.json';
import { isLoopbackAddress } from './host-names';

/** How a process proves to our other services who it is. */
export type RpcSettings =
  | {
      readonly kind: 'certificates';
      /** PEM: the certificate of the service, and those between it and the authority. */
      readonly certificateFile: string;
      /** PEM: its private key. */
      readonly keyFile: string;
      /** PEM: the authority that signs the certificate of every service. */
      readonly authorityFile: string;
    }
  | {
      readonly kind: 'token';
      /** JSON as `callerFileText` of `@market-state/grpc` makes it. */
      readonly tokenFile: string;
    };

const file = z.string().min(1).optional();

/** Variables of every process that serves or calls RPCs. Spread into its schema, which then ends with `.superRefine(requireRpcProof)`. */
export const rpcVariables = { TLS_CERT_FILE: file, TLS_KEY_FILE: file, TLS_CA_FILE: file, RPC_TOKEN_FILE: file };

const CERTIFICATE_VARIABLES = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CA_FILE'] as const;

/** The variables that say where RPCs are served or called. */
const RPC_ADDRESSES = ['GRPC_ADDRESS', ...Object.values(services).flatMap(({ processes }) => Object.values(processes).flatMap(addressOf))];

function addressOf(process: { readonly speaksRpc?: boolean; readonly addressVariable?: string }): string[] {
  return process.speaksRpc === true && process.addressVariable !== undefined ? [process.addressVariable] : [];
}

type RpcVariables = { readonly [K in keyof typeof rpcVariables]?: string | undefined };
type ReadVariables = RpcVariables & { readonly NODE_ENV?: string };

/**
 * Refuses settings under which a process could not prove who it is: incomplete certificates, no certificates in production or when an
 * RPC leaves the machine, and elsewhere neither certificates nor a token.
 */
export function requireRpcProof(read: ReadVariables, context: z.RefinementCtx): void {
  const say = (variable: string, message: string): void => context.addIssue({ code: 'custom', path: [variable], message });
  const missing = CERTIFICATE_VARIABLES.filter((variable) => read[variable] === undefined);
  if (missing.length === 0) return;
  const why = whyCertificates(read, missing.length < CERTIFICATE_VARIABLES.length);
  if (why !== undefined) missing.forEach((variable) => say(variable, why));
  else if (read.RPC_TOKEN_FILE === undefined) say('RPC_TOKEN_FILE', 'or TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE must be set');
}

function whyCertificates(read: ReadVariables, isPart: boolean): string | undefined {
  if (isPart) return `must be set: ${CERTIFICATE_VARIABLES.join(', ')} go together`;
  if (read.NODE_ENV === 'production') return 'must be set where NODE_ENV is production (`market-state certificates` makes the files)';
  const addresses: Readonly<Record<string, unknown>> = read;
  const leavesMachine = (named: unknown): boolean => named !== undefined && ![named].flat().map(String).every(isLoopbackAddress);
  const outside = RPC_ADDRESSES.find((variable) => leavesMachine(addresses[variable]));
  return outside === undefined ? undefined : `must be set: ${outside} is not on loopback (\`market-state certificates\` makes the files)`;
}

/** The settings from variables that `requireRpcProof` accepted; certificates take precedence over a token. */
export function rpcSettingsOf(read: RpcVariables): RpcSettings {
  const { TLS_CERT_FILE: certificateFile, TLS_KEY_FILE: keyFile, TLS_CA_FILE: authorityFile, RPC_TOKEN_FILE: tokenFile } = read;
  if (certificateFile !== undefined && keyFile !== undefined && authorityFile !== undefined)
    return { kind: 'certificates', certificateFile, keyFile, authorityFile };
  return { kind: 'token', tokenFile: tokenFile ?? '' };
}
