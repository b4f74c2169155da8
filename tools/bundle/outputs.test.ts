import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly nx?: { readonly targets?: { readonly build?: { readonly command?: string; readonly outputs?: readonly string[] } } };
}

const root = join(import.meta.dirname, '..', '..');
const readJson = <Content>(file: string): Content => JSON.parse(readFileSync(join(root, file), 'utf8')) as Content;
const services = readJson<Readonly<Record<string, { readonly processes: object }>>>('services.json');

const builds = ['apps', 'tools']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((project) => existsSync(join(root, project, 'package.json')))
  .map((project) => [project, readJson<Manifest>(`${project}/package.json`).nx?.targets?.build] as const)
  .filter(([, build]) => build?.command?.startsWith('node tools/bundle/bundle.mjs '));

const isParts = (name: string): boolean => name.endsWith('.mjs');

/** Files written by a command, from its arguments. */
function filesOf(command: string): string[] {
  const names = command
    .split(' ')
    .slice(2)
    .flatMap((argument) => {
      const [name = '', file] = argument.split('=');
      return file === undefined ? Object.keys(services[name]?.processes ?? {}) : [name];
    });
  return names.flatMap((name) => {
    const stem = isParts(name) ? name.slice(0, -'.mjs'.length) : name;
    const file = isParts(name) ? name : `${name}.cjs`;
    return [file, `${file}.map`, `${stem}.contents.json`, ...(isParts(name) ? [stem] : [])].map((path) => `{workspaceRoot}/dist/${path}`);
  });
}

test.each(builds)('the build of %s declares every file it writes, so that the cache restores it', (_project, build) => {
  expect([...(build?.outputs ?? [])].sort()).toEqual(filesOf(build?.command ?? '').sort());
});

test('every service has a build', () => {
  const built = new Set(builds.map(([project]) => project));
  expect(Object.keys(services).filter((service) => !built.has(`apps/${service}`))).toEqual([]);
});
