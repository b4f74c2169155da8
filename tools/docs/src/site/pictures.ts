import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCS, workspaceFolder } from './page';

/** Pictures of the portal as documents name them: `![words](../pictures/packet.webp)`. */
const IMAGE = /(!\[[^\]]*\]\()(?:\.\.?\/)*pictures\/([\w-]+)\.webp\)/g;
const HASH_CHARACTERS = 12;
/** Layout size of every picture (`tools/e2e/src/pictures`). */
const SIZE = 'width="1200" height="750"';

export interface Picture {
  /** Path on the site; its name contains a hash of the bytes. */
  readonly path: string;
  readonly bytes: Buffer;
}

export interface Pictures {
  readonly all: readonly Picture[];
  /** Points images of a document to the site. @throws Error naming a picture that is missing in one of the themes */
  placed(markdown: string): string;
  /** HTML of an image placed before; undefined for any other address. */
  element(path: string, words: string): string | undefined;
}

/** Every picture has a light and a dark form: `packet.webp`, `packet-dark.webp`. */
export function readPictures(): Pictures {
  const folder = join(workspaceFolder, 'docs', 'site', 'pictures');
  const byName = new Map(readdirSync(folder).map((file) => [file.replace('.webp', ''), readPicture(join(folder, file), file)]));
  const light = new Map([...byName].flatMap(([name, picture]) => (name.endsWith('-dark') ? [] : [[picture.path, name] as const])));
  const named = (name: string): Picture => {
    const picture = byName.get(name);
    if (picture === undefined) throw new Error(`docs/site/pictures has no ${name}.webp.`);
    return picture;
  };
  return {
    all: [...byName.values()],
    placed: (markdown) =>
      markdown.replace(IMAGE, (_, start: string, name: string) => {
        named(`${name}-dark`);
        return `${start}${named(name).path})`;
      }),
    element(path, words) {
      const name = light.get(path);
      if (name === undefined) return undefined;
      const dark = `<source media="(prefers-color-scheme: dark)" srcset="${named(`${name}-dark`).path}">`;
      return `<picture>${dark}<img src="${path}" alt="${words}" ${SIZE} loading="lazy"></picture>`;
    },
  };
}

function readPicture(path: string, file: string): Picture {
  const bytes = readFileSync(path);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_CHARACTERS);
  return { path: `${DOCS}/assets/${file.replace('.webp', `.${hash}.webp`)}`, bytes };
}
