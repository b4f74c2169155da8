import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withWorkspaceTwins } from './workspace-twins.mjs';

/**
 * Writes the one OpenAPI document to `file`: apps/gateway/openapi as Redocly's bundler joins it, its parts named as types are,
 * with a twin of each route of the data plane for browser sessions.
 */
export function generateOpenApiDocument(root, file) {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-openapi-'));
  try {
    const bundled = join(folder, 'openapi.json');
    bundle(root, bundled);
    const document = withWorkspaceTwins(withTypeNames(JSON.parse(readFileSync(bundled, 'utf8'))));
    writeFileSync(file, `${JSON.stringify(document, null, 1)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bundle(root, file) {
  const source = join('apps', 'gateway', 'openapi', 'openapi.yaml');
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules', '.bin', 'redocly'),
    [
      'bundle',
      source,
      '--config',
      join('tools', 'generate', 'redocly.yaml'),
      '--component-renaming-conflicts-severity',
      'error',
      '-o',
      file,
    ],
    { cwd: root, encoding: 'utf8', env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  );
  if (status !== 0) throw new Error(`redocly bundle ${source} failed.\n${stdout}${stderr}`);
}

/** `candle-cursor` of the file as `CandleCursor`. */
function typeName(name) {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_match, letter) => letter.toUpperCase());
}

/** The document with its parts named as types are, instead of as their files, and in the order of their names. */
function withTypeNames({ components, ...document }) {
  const { securitySchemes, ...parts } = components;
  const named = Object.entries(parts).map(([kind, ofKind]) => [
    kind,
    sorted(Object.entries(ofKind).map(([name, part]) => [typeName(name), part])),
  ]);
  return withTypeReferences({ ...document, components: { securitySchemes, ...sorted(named) } });
}

function withTypeReferences(value) {
  if (Array.isArray(value)) return value.map(withTypeReferences);
  if (typeof value !== 'object' || value === null) return value;
  if (typeof value.$ref === 'string') return { ...value, $ref: value.$ref.replace(/[^/]+$/, typeName) };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withTypeReferences(inner)]));
}

function sorted(entries) {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
