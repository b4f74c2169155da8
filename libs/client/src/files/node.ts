import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FileTarget } from './target';

/** Appends to what an earlier attempt left in `<name>.part`. */
export async function openTarget(folder: string, name: string, sha256: string): Promise<FileTarget> {
  if (name !== basename(name) || name === '' || name.startsWith('.')) throw new Error(`"${name}" is not a valid file name`);
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  if ((await digestIfThere(path)) === sha256) return completeFile(path);
  const partPath = `${path}.part`;
  const handle = await open(partPath, 'a');
  let { size } = await handle.stat();
  return {
    path,
    isComplete: false,
    sizeBytes: () => size,
    async write(chunk) {
      await writeWhole(handle, chunk);
      size += chunk.length;
    },
    async clear() {
      await handle.truncate(0);
      size = 0;
    },
    digest: () => digestOf(partPath),
    async finish() {
      await rename(partPath, path);
      return path;
    },
    close: () => handle.close(),
  };
}

async function writeWhole(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
}

function completeFile(path: string): FileTarget {
  const done = (): Promise<void> => Promise.resolve();
  return {
    path,
    isComplete: true,
    sizeBytes: () => 0,
    write: done,
    clear: done,
    digest: () => digestOf(path),
    finish: () => Promise.resolve(path),
    close: done,
  };
}

async function digestIfThere(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? digestOf(path) : null;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
