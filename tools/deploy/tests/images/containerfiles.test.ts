import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { services, workspaceRoot } from '@market-state/launcher';
import { BASES, readBases, containerfile } from '../../src/containerfile';
import { images, containerfileOf, writtenManifests } from '../../src/manifests';
import { argumentsOf, imageNameOf, USER_ID } from '../../src/locations';
import { composeFileWritten, ofKind } from '../written';
import { containerfileFaults } from './containerfile-faults';

const root = workspaceRoot();
const USER = `${USER_ID}:${USER_ID}`;
const good = containerfile('account', readBases(root), '1.2.3');

test.each(images)('the image of %s has two stages, bases pinned by digest, no shell and its own user', (app) => {
  expect(containerfileFaults(readFileSync(join(root, containerfileOf(app)), 'utf8'), USER)).toEqual([]);
});

test.each([
  ['a base named by tag', /@sha256:\w+/, ':22', 'BUILD_IMAGE is not pinned by a digest.'],
  ['a literal base', '${RUN_IMAGE}', 'debian', 'It is based on ${BUILD_IMAGE} and debian.'],
  ['a third stage', 'FROM ${RUN_IMAGE}', 'FROM ${RUN_IMAGE} AS more\nFROM ${RUN_IMAGE}', 'It has 3 stages.'],
  ['a download', 'COPY . .', 'ADD https://example.com/program /', 'ADD is not allowed in stage 1.'],
  [
    'another program',
    'RUN ["npm"',
    'RUN ["curl", "-O", "https://example.com"]\nRUN ["npm"',
    'RUN curl -O https://example.com is not a known step.',
  ],
  ['a shell command', /RUN \["npm".*/, 'RUN npm ci', 'RUN npm ci uses a shell.'],
  ['a step in the image itself', 'ENV ', 'RUN ["node", "tools/x.mjs"]\nENV ', 'RUN is not allowed in stage 2.'],
  ['a file that was not built', 'COPY --from=build /image/app/', 'COPY apps/', 'COPY apps/ /app/ is not from the first stage.'],
  ['root', `USER ${USER}`, 'USER root', 'It runs as root.'],
  ['no user', `USER ${USER}\n`, '', 'It ends with ENV, ENTRYPOINT, CMD.'],
  ['a shell entry point', /ENTRYPOINT .*/, 'ENTRYPOINT node', 'ENTRYPOINT node uses a shell.'],
  ['a secret', 'ENV ', 'ENV DATABASE_URL=x ', 'ENV DATABASE_URL=x NODE_ENV=production MARKET_STATE_ROOT=/app names a secret.'],
])('rejects %s', (_what, found, instead, fault) => {
  expect(containerfileFaults(good, USER)).toEqual([]);
  expect(containerfileFaults(good.replace(found, instead), USER)).toContain(fault);
});

test('bases are pinned by digest, or the error names those that are not', () => {
  const text = readFileSync(join(root, BASES), 'utf8');
  for (const base of Object.values(readBases(root))) expect(text).toContain(`=${base}\n`);
  expect(() => readBases(join(root, 'nowhere'))).toThrow(BASES);
});

/** Images and programs started by the manifests, without versions. */
const started = [
  ...ofKind('Deployment', 'StatefulSet', 'Job').flatMap(({ spec }) =>
    spec.template.spec.containers.map(({ image, args }) => [image, args[0]]),
  ),
  ...Object.values(composeFileWritten().services).map(({ image, command = [] }) => [image, command[0]]),
]
  .filter(([image = '']) => image.startsWith('market-state/'))
  .map(([image = '', program]) => `${image.replace(/:.*/, '')} ${program}`);

test("every process has its program in its service's image, and nothing else is started", () => {
  const known = Object.entries(services).flatMap(([service, { processes }]) =>
    Object.keys(processes).map((name) => `${imageNameOf(service)} ${argumentsOf(name)[0]}`),
  );
  const all = [...known, `${imageNameOf('migrate')} ${argumentsOf('migrate')[0]}`];
  // The venue has an image but no manifest, because it listens only on loopback.
  const deployed = all.filter((line) => !line.includes('/simulated-venue '));
  expect([...new Set(started)].sort()).toEqual(deployed.sort());
  expect(writtenManifests(root).filter((path) => path.endsWith('/Containerfile'))).toEqual([...images].sort().map(containerfileOf));
});

test('deploy/images has a folder for each image, their bases, and their contents other than programs', () => {
  expect(readdirSync(join(root, 'deploy/images')).sort()).toEqual([...images, 'bases.env', 'contents.json'].sort());
});
