import { z } from 'zod';
import { address, addressList, commonVariables } from './pieces';
import { ConfigError, readConfig } from './read-config';
import { requireRpcProof, rpcSettingsOf, rpcVariables } from './rpc-settings';

const addresses = { ACCOUNT_ADDRESS: address.optional(), LABELING_ADDRESS: addressList.optional() };
const schema = z.object({ ...commonVariables, ...rpcVariables, ...addresses }).superRefine(requireRpcProof);
const certificates = { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k', TLS_CA_FILE: 'a' };

function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(schema, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ variable }) => variable);
    throw error;
  }
}

const allThree = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CA_FILE'];

test.each([
  ['nothing on loopback', {}, ['RPC_TOKEN_FILE']],
  ['a token on loopback', { RPC_TOKEN_FILE: 't' }, []],
  ['certificates on loopback', certificates, []],
  ['a token in production', { RPC_TOKEN_FILE: 't', NODE_ENV: 'production' }, allThree],
  ['nothing in production', { NODE_ENV: 'production' }, allThree],
  ['certificates in production', { ...certificates, NODE_ENV: 'production' }, []],
  ['a token and a listener on every interface', { RPC_TOKEN_FILE: 't', GRPC_ADDRESS: '0.0.0.0:1' }, allThree],
  ['a token and a listener of a name', { RPC_TOKEN_FILE: 't', GRPC_ADDRESS: '127.0.0.1.example:1' }, allThree],
  ['a token and a service elsewhere', { RPC_TOKEN_FILE: 't', ACCOUNT_ADDRESS: 'account.internal:1' }, allThree],
  ['certificates and a service elsewhere', { ...certificates, ACCOUNT_ADDRESS: 'account.internal:1' }, []],
  ['a token and loopback by number', { RPC_TOKEN_FILE: 't', ACCOUNT_ADDRESS: '127.0.0.9:1', GRPC_ADDRESS: '[::1]:0' }, []],
  ['a token and loopback by name, which may lead elsewhere', { RPC_TOKEN_FILE: 't', ACCOUNT_ADDRESS: 'localhost:1' }, allThree],
  ['a token and a name that looks like loopback', { RPC_TOKEN_FILE: 't', ACCOUNT_ADDRESS: '127.999.1.1:1' }, allThree],
  ['a token and several processes on loopback', { RPC_TOKEN_FILE: 't', LABELING_ADDRESS: '127.0.0.1:1,127.0.0.1:2' }, []],
  ['a token and one of several elsewhere', { RPC_TOKEN_FILE: 't', LABELING_ADDRESS: '127.0.0.1:1,10.0.0.2:2' }, allThree],
  ['certificates in part', { RPC_TOKEN_FILE: 't', TLS_CERT_FILE: 'c', TLS_CA_FILE: 'a' }, ['TLS_KEY_FILE']],
])('%s', (_name, env, faults) => {
  expect(faultsOf(env as Record<string, string>)).toEqual(faults);
});

test('certificates count before a token', () => {
  expect(rpcSettingsOf(readConfig(schema, { ...certificates, RPC_TOKEN_FILE: 't' }))).toEqual({
    kind: 'certificates',
    certificateFile: 'c',
    keyFile: 'k',
    authorityFile: 'a',
  });
  expect(rpcSettingsOf(readConfig(schema, { RPC_TOKEN_FILE: 't' }))).toEqual({ kind: 'token', tokenFile: 't' });
});
