import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** A page as it is served. */
export interface ServedPage {
  readonly path: string;
  readonly html: string;
  readonly text: string;
}

/** Every page of the build, asked from the server in both forms. @throws Error for one that is not served */
export async function pagesOf(url: string): Promise<readonly ServedPage[]> {
  const manifest = JSON.parse(readFileSync(join(workspaceRoot(), 'dist', 'docs', 'docs.json'), 'utf8')) as {
    readonly pages: readonly { readonly path: string }[];
  };
  const served: ServedPage[] = [];
  for (const { path } of manifest.pages)
    served.push({ path, html: await textOf(url + path, 'text/html'), text: await textOf(url + path, 'text/markdown') });
  return served;
}

async function textOf(address: string, accept: string): Promise<string> {
  const answer = await fetch(address, { headers: { accept } });
  if (answer.status !== 200) throw new Error(`${address} is ${answer.status}.`);
  return answer.text();
}
