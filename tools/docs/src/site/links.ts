import { dirname, join, normalize } from 'node:path';

/** Leads from links between the files of the workspace to the pages of the site. */
export interface LinkTargets {
  /** The text with its links as addresses of the site; a link to a file that the site does not have is left as its words. */
  absolute(markdown: string, file: string): string;
}

const LINK = /(?<!!)\[((?:[^\][]|\[[^\][]*\])*)\]\(([^)\s]+)\)/g;

/** @param pathOf the page that a file is, by its path from the workspace's top */
export function linkTargets(pathOf: ReadonlyMap<string, string>): LinkTargets {
  const target = (address: string, file: string): string | undefined => {
    if (/^(?:[a-z]+:|\/|#)/.test(address)) return address;
    const [name = '', anchor] = address.split('#');
    const path = pathOf.get(normalize(join(dirname(file), name)));
    return path === undefined ? undefined : `${path}${anchor === undefined ? '' : `#${anchor}`}`;
  };
  return {
    absolute: (markdown, file) =>
      outsideCode(markdown, (text) =>
        text.replace(LINK, (_, words: string, address: string) => {
          const found = target(address, file);
          return found === undefined ? words : `[${words}](${found})`;
        }),
      ),
  };
}

/** The text with `change` made to whatever is no code. */
function outsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(^```[^\n]*\n[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}
