import { z } from 'zod';
import services from '../../../../services.json';
import { isLoopbackAddress } from './host-names';

/** Credentials towards other services. */
export type RpcSettings =
  | {
      readonly kind: 'certificates';
      /** PEM: the service's certificate with intermediates. */
      readonly certificateFile: string;
      readonly keyFile: string;
      /** PEM: authority that signs all service certificates. */
      readonly authorityFile: string;
    }
  | {
      readonly kind: 'token';
      /** JSON as written by `callerFileText` of `@market-state/grpc`. */
      readonly tokenFile: string;
    };

const file = z.string().min(1).optional();

/** For processes that serve or call RPCs. End the schema with `.superRefine(requireRpcProof)`. */
export const rpcVariables = { TLS_CERT_FILE: file, TLS_KEY_FILE: file, TLS_CA_FILE: file, RPC_TOKEN_FILE: file };

const CERTIFICATE_VARIABLES = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CA_FILE'] as const;

const RPC_ADDRESSES = ['GRPC_ADDRESS', ...Object.values(services).flatMap(({ processes }) => Object.values(processes).flatMap(addressOf))];

function addressOf(process: { readonly speaksRpc?: boolean; readonly addressVariable?: string }): string[] {
  return process.speaksRpc === true && process.addressVariable !== undefined ? [process.addressVariable] : [];
}

type RpcVariables = { readonly [K in keyof typeof rpcVariables]?: string | undefined };
type ReadVariables = RpcVariables & { readonly NODE_ENV?: string };

/** Requires certificates in production and for RPCs outside loopback, and otherwise certificates or a token. */
export function requireRpcProof(read: ReadVariables, context: z.RefinementCtx): void {
  const say = (variable: string, message: string): void => context.addIssue({ code: 'custom', path: [variable], message });
  const missing = CERTIFICATE_VARIABLES.filter((variable) => read[variable] === undefined);
  if (missing.length === 0) return;
  const why = whyCertificates(read, missing.length < CERTIFICATE_VARIABLES.length);
  if (why !== undefined) missing.forEach((variable) => say(variable, why));
  else if (read.RPC_TOKEN_FILE === undefined) say('RPC_TOKEN_FILE', 'or TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE must be set');
}

function whyCertificates(read: ReadVariables, isPart: boolean): string | undefined {
  if (isPart) return `must be set: ${CERTIFICATE_VARIABLES.join(', ')} are required together`;
  if (read.NODE_ENV === 'production')
    return 'must be set if NODE_ENV is production (create the files with `market-state admin certificates`)';
  const addresses: Readonly<Record<string, unknown>> = { ...read };
  const leavesMachine = (named: unknown): boolean => named !== undefined && ![named].flat().map(String).every(isLoopbackAddress);
  const outside = RPC_ADDRESSES.find((variable) => leavesMachine(addresses[variable]));
  return outside === undefined
    ? undefined
    : `must be set: ${outside} is not on loopback (create the files with \`market-state admin certificates\`)`;
}

/** Certificates take precedence over a token. */
export function rpcSettingsOf(read: RpcVariables): RpcSettings {
  const { TLS_CERT_FILE: certificateFile, TLS_KEY_FILE: keyFile, TLS_CA_FILE: authorityFile, RPC_TOKEN_FILE: tokenFile } = read;
  if (certificateFile !== undefined && keyFile !== undefined && authorityFile !== undefined)
    return { kind: 'certificates', certificateFile, keyFile, authorityFile };
  return { kind: 'token', tokenFile: tokenFile ?? '' };
}
