import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@market-state/config';
import { parse } from 'yaml';
import { deployed, readers } from '../src/deployed';
import { makeSecrets } from '../src/make-secrets';
import { composeFileWritten, ofKind, textOf } from './written';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'deploy-secrets-'));
  makeSecrets(folder);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { services, secrets } = composeFileWritten();

/**
 * Environment of a process under Compose, with the operator's settings filled in and secrets from the test's folder.
 */
function composeEnvironment(name: string, operator: Readonly<Record<string, string>> = {}): Record<string, string> {
  const service = services[name];
  const fileAt = new Map(service?.secrets?.map(({ source, target }) => [target, join(folder, secrets[source]?.file ?? '')]));
  return Object.fromEntries(
    Object.entries(service?.environment ?? {}).map(([variable, text]) => {
      const filled = String(text).replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_whole, setting: string, sign: string, rest: string) => {
        if (sign === '?' && operator[setting] === undefined) throw new Error(`${setting} ${rest}`);
        return operator[setting] ?? rest;
      });
      return [variable, fileAt.get(filled) ?? filled];
    }),
  );
}

const OPERATOR = { PUBLIC_BASE_URL: 'https://market-state.example' };

test.each(deployed)('$name accepts the settings and secrets of the Compose file, in production', ({ name }) => {
  const env = composeEnvironment(name, OPERATOR);
  expect(env['NODE_ENV']).toBe('production');
  expect(() => readers[name](env)).not.toThrow();
});

test.each(deployed)('$name accepts the settings of the production overlay and the secrets of its Secret', ({ name, service }) => {
  const literals = ['base', 'overlays/production'].flatMap((place) => {
    const { configMapGenerator } = parse(textOf(`deploy/kubernetes/${place}/kustomization.yaml`)) as {
      configMapGenerator: readonly { readonly literals: readonly string[] }[];
    };
    return configMapGenerator.flatMap((one) => one.literals);
  });
  const settings = new Map(literals.map((literal) => [literal.slice(0, literal.indexOf('=')), literal.slice(literal.indexOf('=') + 1)]));
  // Compose requires a mail server.
  for (const sender of ['account', 'webhook']) writeFileSync(join(folder, 'secrets', sender, 'MAIL'), 'smtp://mail.example\n');
  const pathOf = (file: string): string => join(folder, 'secrets', service, file === 'SMTP_URL' ? 'MAIL' : file);
  const container = ofKind('Deployment', 'StatefulSet').find(({ metadata }) => metadata.name === name)?.spec.template.spec.containers[0];
  const env = Object.fromEntries(
    (container?.env ?? []).map(({ name: variable, value, valueFrom }) => {
      const ofPod = valueFrom?.fieldRef?.fieldPath === 'metadata.name' ? `${name}-0` : undefined;
      const text = value ?? ofPod ?? settings.get(valueFrom?.configMapKeyRef?.key ?? '');
      const [, file] = /^\/run\/secrets\/market-state\/(\w+)$/.exec(text ?? '') ?? [];
      return [variable, file === undefined ? text : pathOf(file)];
    }),
  );
  expect(() => readers[name](env)).not.toThrow();
});

test('required settings are listed for the operator', () => {
  expect(() => composeEnvironment('account')).toThrow('PUBLIC_BASE_URL must be set, in .env next to this file');
});

test.each([
  ['account', 'STRIPE_API_BASE', 'http://127.0.0.1:1'],
  ['webhook', 'WEBHOOK_TEST_TARGETS', 'localhost:*=127.0.0.0/8'],
  ['webhook-worker', 'WEBHOOK_TEST_TARGETS', 'localhost:*=127.0.0.0/8'],
  ['webhook-worker', 'WEBHOOK_TEST_CA_FILE', '/ca.crt'],
] as const)('%s refuses %s in production', (name, variable, text) => {
  const env = { ...composeEnvironment(name, OPERATOR), [variable]: text };
  expect(() => readers[name](env)).toThrow(new ConfigError([{ variable, message: 'must not be set in production' }]));
});

test('production packets are signed', () => {
  const env = { ...composeEnvironment('labeling', OPERATOR), SIGNING_KEY_FILE: '' };
  expect(() => readers.labeling(env)).toThrow('SIGNING_KEY_FILE: must be set');
  expect(() => readers.labeling({ ...env, NODE_ENV: 'test' })).not.toThrow();
});

/** Other secrets are those of a provider, which decides their length. */
const isOurs = ({ name }: { readonly name: string }): boolean => name.endsWith('_SECRET') && name !== 'OIDC_CLIENT_SECRET';

test.each(deployed)('$name does not start without its certificate, or with a short or missing secret', ({ name, variables }) => {
  const env = composeEnvironment(name, OPERATOR);
  expect(() => readers[name]({ ...env, TLS_CERT_FILE: '' })).toThrow('TLS_CERT_FILE: must be set');
  for (const { name: secret, variable, isRequired } of variables.secrets.filter(isOurs)) {
    const short = join(folder, `short-${secret}`);
    writeFileSync(short, 'changeme\n');
    expect(() => readers[name]({ ...env, [variable]: short })).toThrow(`${variable}: must be a secret of at least 32 bytes`);
    if (isRequired) expect(() => readers[name]({ ...env, [variable]: '' })).toThrow(`${secret}: must be set`);
  }
});

test('secrets are created once, are all different, and are in a folder only their owner can enter', () => {
  const before = readFileSync(join(folder, 'secrets/account/ANSWER_SECRET'), 'utf8');
  rmSync(join(folder, 'secrets/gateway/QUOTE_SECRET'));
  expect(makeSecrets(folder)).toEqual(['secrets/gateway/QUOTE_SECRET']);
  expect(readFileSync(join(folder, 'secrets/account/ANSWER_SECRET'), 'utf8')).toBe(before);
  expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  const texts = Object.values(secrets)
    .map(({ file }) => file)
    .filter((file) => /_SECRET$|DATABASE_URL$|KEYS$/.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .filter((text) => text !== '');
  expect(new Set(texts).size).toBe(texts.length);
});

test('every file in the Compose file is created, except certificates, which another command makes', () => {
  const names = Object.values(secrets).map(({ file }) => file.slice(2));
  const missing = names.filter(
    (file) => !file.startsWith('certificates/') && statSync(join(folder, file), { throwIfNoEntry: false }) === undefined,
  );
  expect(missing).toEqual(['secrets/haproxy/CERTIFICATE']);
});
