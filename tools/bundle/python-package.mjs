import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

const PARTS = ['pyproject.toml', 'README.md', 'src'];
const WHEEL = 'Wheel-Version: 1.0\nGenerator: market-state\nRoot-Is-Purelib: true\nTag: py3-none-any\n';

/** Reproducible; runs no Python and downloads nothing. */
export function buildPythonPackages(root, folder) {
  const source = join(root, 'libs', 'client-python');
  const read = (name) => readFileSync(join(source, name), 'utf8');
  const { name, version, metadata } = metadataOf(read('pyproject.toml'), read('README.md'));
  const stem = `${name.replaceAll('-', '_')}-${version}`;
  const paths = { wheel: join(folder, `${stem}-py3-none-any.whl`), sdist: join(folder, `${stem}.tar.gz`) };
  mkdirSync(folder, { recursive: true });
  writeFileSync(paths.wheel, wheelOf(join(source, 'src'), `${stem}.dist-info`, metadata, readFileSync(join(root, 'LICENSE'))));
  writeFileSync(paths.sdist, sourcesOf(root, source, stem, metadata));
  return paths;
}

/** Reads only strings, lists of strings, and the license from pyproject.toml. */
function metadataOf(pyproject, readme) {
  const tables = new Map(
    pyproject.split(/^(?=\[[\w.-]+\]$)/m).map((text) => {
      const entries = [...text.matchAll(/^([\w-]+) = (".*"|\[(?:.*|\n[\s\S]*?\n)\])$/gm)];
      return [/^\[(.+)\]/.exec(text)?.[1], entries.map(([, key, value]) => [key, JSON.parse(value.replace(/,\s*\]$/, ']'))])];
    }),
  );
  const project = Object.fromEntries(tables.get('project'));
  const [, license] = /^license = \{ text = "(.+)" \}$/m.exec(pyproject);
  const lines = [
    'Metadata-Version: 2.1',
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.description}`,
    `License: ${license}`,
    ...project.classifiers.map((classifier) => `Classifier: ${classifier}`),
    `Requires-Python: ${project['requires-python']}`,
    'Description-Content-Type: text/markdown',
    'License-File: LICENSE',
    ...project.dependencies.map((needed) => `Requires-Dist: ${needed}`),
    ...tables
      .get('project.optional-dependencies')
      .flatMap(([extra, list]) => [`Provides-Extra: ${extra}`, ...list.map((needed) => `Requires-Dist: ${needed} ; extra == '${extra}'`)]),
  ];
  return { name: project.name, version: project.version, metadata: `${lines.join('\n')}\n\n${readme}` };
}

function wheelOf(source, info, metadata, license) {
  const modules = readdirSync(source, { recursive: true }).filter((path) => /\.(?:py|typed)$/.test(path));
  const files = [
    ...modules.sort().map((path) => [path, readFileSync(join(source, path))]),
    [`${info}/LICENSE`, license],
    [`${info}/METADATA`, Buffer.from(metadata)],
    [`${info}/WHEEL`, Buffer.from(WHEEL)],
  ];
  const digest = (bytes) => createHash('sha256').update(bytes).digest('base64url');
  const record = files.map(([path, bytes]) => `${path},sha256=${digest(bytes)},${bytes.length}\n`).join('');
  return zipOf([...files, [`${info}/RECORD`, Buffer.from(`${record}${info}/RECORD,,\n`)]]);
}

/** ZIP archive with mode 644 and the format's first date, 1980-01-01. */
function zipOf(files) {
  const locals = [];
  const entries = [];
  let offset = 0;
  for (const [path, bytes] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(bytes, { level: 9 });
    // Version 2.0, no flags, deflate, time, day, CRC-32, sizes, name length, no extra field.
    const fields = numbers([20, 2], [0, 2], [8, 2], [0, 2], [0x21, 2], [crc32(bytes), 4], [packed.length, 4], [bytes.length, 4]);
    const common = Buffer.concat([fields, numbers([name.length, 2], [0, 2])]);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, packed]);
    // Version 2.0 on Unix; no comment, disk 0, no internal attributes, the mode, the file's offset.
    const attributes = numbers([0, 2], [0, 2], [0, 2], [0o100644 * 2 ** 16, 4], [offset, 4]);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02'), numbers([20 | (3 << 8), 2]), common, attributes, name]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  // Disks 0 and 0, entry counts, directory size and offset, no comment.
  const totals = numbers([0, 2], [0, 2], [files.length, 2], [files.length, 2], [directory.length, 4], [offset, 4], [0, 2]);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), totals]);
}

/** Little-endian numbers, each with its size in bytes. */
function numbers(...pairs) {
  return Buffer.concat(
    pairs.map(([value, size]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );
}

function sourcesOf(root, source, stem, metadata) {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-sdist-'));
  const content = join(folder, stem);
  try {
    for (const part of PARTS)
      cpSync(join(source, part), join(content, part), { recursive: true, filter: (path) => !/__pycache__|\.egg-info$/.test(path) });
    copyFileSync(join(root, 'LICENSE'), join(content, 'LICENSE'));
    writeFileSync(join(content, 'PKG-INFO'), metadata);
    const alike = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
    const { status, stdout, stderr, error } = spawnSync('tar', [...alike, '-c', stem], { cwd: folder, maxBuffer: 64 * 2 ** 20 });
    if (status !== 0) throw error ?? new Error(`The Python client's source distribution could not be built.\n${stderr}`);
    return gzipSync(stdout, { level: 9 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
